package import Bluetooth
package import Model

/// The state of `roboprov capture`, which reads the labels of rooms one by one: the next prompt, and the
/// action for each line.
///
/// It performs no effects. The caller performs each `Action` and reports the result.
package struct Capture: Sendable {
  /// A room whose label is read.
  package struct Stop: Hashable, Sendable {
    package var room: RoomID
    package var name: String
  }

  /// The next question to the person.
  package enum Prompt: Hashable, Sendable {
    /// Read the label of this room. Number and count are the progress.
    case label(Stop, number: Int, of: Int)
    /// Ask whether board addresses differ from labels by this offset.
    case offset(OffsetProposal)
    /// No further action: all labels are read, or the person quit.
    case nothing
  }

  /// The effect of a line.
  package enum Action: Hashable, Sendable {
    case nothing
    /// Write these addresses together, in this order; then call `saved` or `notSaved`.
    case save([Assignment])
    /// Restore the previous address of this room or, after an accepted offset, of all rooms of the offset;
    /// then call `undone` or `notSaved`.
    case undo(Stop)
    /// Return to this room, which was skipped.
    case back(Stop)
    /// Report that this room is skipped.
    case skipped(Stop)
    /// Report why a label is not accepted.
    case refused(Refusal)
    /// Report that there is nothing to undo.
    case nothingToUndo
    /// Show the possible entries.
    case help
    /// Repeat the question: the entry is neither yes nor no.
    case askAgain
    /// Report that the addresses stay as the labels show them.
    case offsetDeclined
  }

  /// The address for a room.
  package struct Assignment: Hashable, Sendable {
    package var stop: Stop
    /// The address on the label.
    package var label: BluetoothAddress
    /// The label's address plus the offset.
    package var address: BluetoothAddress
  }

  /// Why a label is not accepted.
  package enum Refusal: Hashable, Sendable {
    /// The text has no address, or several.
    case text(LabelProblem)
    /// Another room has the address.
    case taken(BluetoothAddress, by: String)
    /// The label's address plus the offset exceeds 48 bits.
    case beyondAll(BluetoothAddress)
  }

  /// A probable difference between labels and board addresses. A label is *silent* when its address is not on
  /// air.
  package struct OffsetProposal: Hashable, Sendable {
    /// Board address minus label address.
    package var offset: Int
    /// The rooms with a silent label whose label address plus the offset is on air.
    package var evidence: [Stop]
    /// The number of silent labels.
    package var silent: Int
  }

  /// A step that can be undone.
  private enum Step: Sendable {
    case captured(Captured)
    case skipped
    /// The rooms to which an offset was applied.
    case offset([RoomID])
  }

  private struct Captured: Sendable {
    var index: Int
    var assignment: Assignment
    var isSilent: Bool
    var previous: BluetoothAddress?
  }

  /// An offset is proposed only from this number of silent labels on.
  package static let fewestSilent = 3
  /// The offsets that are tried: some boards count further interfaces up from a base address.
  package static let offsets = [1, 2]

  private let stops: [Stop]
  private let names: [RoomID: String]
  private var owners: [BluetoothAddress: RoomID] = [:]
  private var addresses: [RoomID: BluetoothAddress] = [:]
  private var index = 0
  private var steps: [Step] = []
  private var pending: [Assignment]?
  private var proposal: OffsetProposal?
  private var declined: Set<Int> = []
  private var hasEnded = false
  /// The accepted difference between board and label addresses; 0 without one.
  package private(set) var offset = 0

  /// - Parameter rooms: The rooms whose labels are read, in this order.
  package init(_ building: Building, rooms: [RoomID]) {
    let names = Dictionary(uniqueKeysWithValues: building.rooms.map { ($0.id, $0.name) })
    self.names = names
    stops = rooms.map { Stop(room: $0, name: names[$0] ?? $0.rawValue) }
    for room in building.rooms {
      guard let address = room.address else { continue }
      addresses[room.id] = address
      owners[address] = room.id
    }
  }

  // MARK: State

  package var prompt: Prompt {
    if hasEnded { return .nothing }
    if let proposal { return .offset(proposal) }
    return index < stops.count ? .label(stops[index], number: index + 1, of: stops.count) : .nothing
  }

  /// The captured addresses, in the order of the rooms.
  package var captured: [Assignment] {
    captures.map(\.assignment).sorted { a, b in
      (stops.firstIndex(of: a.stop) ?? 0) < (stops.firstIndex(of: b.stop) ?? 0)
    }
  }

  /// The rooms without an address.
  package var missing: [Stop] { stops.filter { addresses[$0.room] == nil } }

  private var captures: [Captured] {
    steps.compactMap { if case .captured(let captured) = $0 { captured } else { nil } }
  }

  // MARK: Entries

  /// Ends the capture; there is no further prompt.
  package mutating func end() { hasEnded = true }

  /// The action for a line that was read.
  package mutating func read(_ line: String) -> Action {
    let word = line.filter { !$0.isWhitespace }.lowercased()
    if hasEnded || word.isEmpty { return .nothing }
    if let proposal { return answer(word, proposal) }
    guard index < stops.count else { return .nothing }
    switch word {
    case "q":
      end()
      return .nothing
    case "s":
      steps.append(.skipped)
      index += 1
      return .skipped(stops[index - 1])
    case "u": return undo()
    case "?", "h", "help": return .help
    default: return label(line)
    }
  }

  private mutating func label(_ line: String) -> Action {
    let label: BluetoothAddress
    do throws(LabelProblem) {
      label = try LabelText.address(in: line)
    } catch {
      return .refused(.text(error))
    }
    guard let address = label.advanced(by: offset) else { return .refused(.beyondAll(label)) }
    let stop = stops[index]
    if let owner = owners[address], owner != stop.room {
      return .refused(.taken(address, by: names[owner] ?? owner.rawValue))
    }
    pending = [Assignment(stop: stop, label: label, address: address)]
    return .save(pending ?? [])
  }

  private mutating func undo() -> Action {
    switch steps.last {
    case nil: return .nothingToUndo
    case .skipped?:
      steps.removeLast()
      index -= 1
      return .back(stops[index])
    case .captured(let captured)?: return .undo(captured.assignment.stop)
    case .offset?: return .undo(stops[max(0, index - 1)])
    }
  }

  // MARK: Results

  /// Records that the assignments of `save` are written.
  /// - Parameter isOnAir: Whether an address is on air; nil without a scan.
  package mutating func saved(_ isOnAir: ((BluetoothAddress) -> Bool)?) {
    guard let saved = pending else { return }
    pending = nil
    if let proposal {
      apply(saved, of: proposal)
    } else if let assignment = saved.first {
      let previous = set(assignment.address, of: assignment.stop.room)
      steps.append(
        .captured(
          Captured(
            index: index, assignment: assignment, isSilent: isOnAir.map { !$0(assignment.address) } ?? false,
            previous: previous)))
      index += 1
    }
    if let isOnAir, offset == 0 { proposal = self.proposal(isOnAir) }
  }

  /// Records that writing or undoing failed; the same prompt follows. A proposed offset counts as declined.
  package mutating func notSaved() {
    pending = nil
    if proposal != nil { declineOffset() }
  }

  /// Records that the last step is undone.
  package mutating func undone() {
    switch steps.popLast() {
    case .captured(let captured)?:
      _ = set(captured.previous, of: captured.assignment.stop.room)
      index = captured.index
    case .offset(let rooms)?:
      for (position, step) in steps.enumerated() {
        guard case .captured(var captured) = step, rooms.contains(captured.assignment.stop.room) else {
          continue
        }
        captured.assignment.address = captured.assignment.label
        _ = set(captured.assignment.label, of: captured.assignment.stop.room)
        steps[position] = .captured(captured)
      }
      declined.insert(offset)
      offset = 0
    case .skipped?, nil: break
    }
  }

  /// - Returns: the room's previous address.
  private mutating func set(_ address: BluetoothAddress?, of room: RoomID) -> BluetoothAddress? {
    let previous = addresses[room]
    if let previous, owners[previous] == room { owners[previous] = nil }
    addresses[room] = address
    if let address { owners[address] = room }
    return previous
  }

  // MARK: Offsets

  private func proposal(_ isOnAir: (BluetoothAddress) -> Bool) -> OffsetProposal? {
    let captures = captures
    // A label that was silent when it was read may be on air now.
    let silent = captures.filter { $0.isSilent && !isOnAir($0.assignment.address) }
    guard silent.count >= Self.fewestSilent else { return nil }
    let received = captures.count - silent.count
    let proposals = Self.offsets.filter { !declined.contains($0) }.map { offset in
      let evidence = silent.filter { captured in
        guard let address = captured.assignment.label.advanced(by: offset) else { return false }
        return isOnAir(address) && owners[address] == nil
      }
      return OffsetProposal(
        offset: offset, evidence: evidence.map(\.assignment.stop), silent: silent.count)
    }
    // On a tie the smaller offset wins. Each label that is on air counts against the offset.
    let best = proposals.max { $0.evidence.count < $1.evidence.count }
    return best.flatMap { $0.evidence.count >= max(Self.fewestSilent, received + 1) ? $0 : nil }
  }

  private mutating func answer(_ word: String, _ proposal: OffsetProposal) -> Action {
    switch word {
    case "y", "yes":
      let silent = captures.filter(\.isSilent)
      // The highest label comes first, because the new address of a room may be the old one of the next
      // higher label.
      let assignments = silent.sorted { $0.assignment.label > $1.assignment.label }.compactMap { captured in
        captured.assignment.label.advanced(by: proposal.offset).map {
          Assignment(stop: captured.assignment.stop, label: captured.assignment.label, address: $0)
        }
      }
      let rooms = Set(assignments.map(\.stop.room))
      let free = assignments.filter { owners[$0.address].map(rooms.contains) ?? true }
      pending = free
      return .save(free)
    case "n", "no":
      declineOffset()
      return .offsetDeclined
    case "q":
      end()
      return .nothing
    default: return .askAgain
    }
  }

  private mutating func declineOffset() {
    if let proposal { declined.insert(proposal.offset) }
    proposal = nil
  }

  private mutating func apply(_ saved: [Assignment], of accepted: OffsetProposal) {
    proposal = nil
    offset = accepted.offset
    for assignment in saved { _ = set(assignment.address, of: assignment.stop.room) }
    let byRoom = Dictionary(uniqueKeysWithValues: saved.map { ($0.stop.room, $0) })
    for (position, step) in steps.enumerated() {
      guard case .captured(var captured) = step, let assignment = byRoom[captured.assignment.stop.room] else {
        continue
      }
      captured.assignment = assignment
      steps[position] = .captured(captured)
    }
    steps.append(.offset(saved.map(\.stop.room)))
  }
}

extension BluetoothAddress {
  /// The address plus the offset; nil when it is not below FF:FF:FF:FF:FF:FF.
  fileprivate func advanced(by offset: Int) -> BluetoothAddress? {
    let (value, overflow) = rawValue.addingReportingOverflow(UInt64(offset))
    return overflow || value >= 0xFFFF_FFFF_FFFF ? nil : BluetoothAddress(rawValue: value)
  }
}
