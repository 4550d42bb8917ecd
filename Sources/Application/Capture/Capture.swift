package import Bluetooth
package import Model
import Session

/// The state of `roboprov capture`, which reads the labels of rooms one by one: the next prompt, and the
/// action for each line. Its devices have an address or a name on their label.
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
    /// Write these devices together, in this order; then call `saved` or `notSaved`.
    case save([Assignment])
    /// Restore the previous device of this room or, after an accepted offset, of all rooms of the offset;
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

  /// The device for a room.
  package struct Assignment: Hashable, Sendable {
    package var stop: Stop
    package var label: DeviceLabel
    /// The label's device; if that is an address, plus the offset.
    package var device: DeviceReference
  }

  /// Why a label is not accepted.
  package enum Refusal: Hashable, Sendable {
    /// The text names no device, or several.
    case text(LabelProblem)
    /// Another room has the device.
    case taken(DeviceReference, by: String)
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
    var previous: DeviceReference?
  }

  /// An offset is proposed only from this number of silent labels on.
  package static let fewestSilent = 3
  /// The offsets that are tried: some boards count further interfaces up from a base address.
  package static let offsets = [1, 2]

  private let stops: [Stop]
  private let names: [RoomID: String]
  private let families: [RoomID: FamilyID]
  private let drivers: [FamilyDriver]
  /// The rooms that have a device, and not what its label has besides the name.
  private let unlabelled: Set<RoomID>
  private var owners: [DeviceReference: RoomID] = [:]
  private var devices: [RoomID: DeviceReference] = [:]
  private var index = 0
  private var steps: [Step] = []
  private var pending: [Assignment]?
  private var proposal: OffsetProposal?
  private var declined: Set<Int> = []
  private var hasEnded = false
  /// The accepted difference between board and label addresses; 0 without one.
  package private(set) var offset = 0

  /// - Parameters:
  ///   - rooms: The rooms whose labels are read, in this order.
  ///   - unlabelled: Those whose label must be read although they have a device.
  package init(_ building: Building, rooms: [RoomID], unlabelled: Set<RoomID> = []) {
    let names = Dictionary(uniqueKeysWithValues: building.rooms.map { ($0.id, $0.name) })
    (self.names, self.unlabelled, drivers) = (names, unlabelled, building.drivers)
    families = Dictionary(uniqueKeysWithValues: building.rooms.map { ($0.id, $0.family.id) })
    stops = rooms.map { Stop(room: $0, name: names[$0] ?? $0.rawValue) }
    for room in building.rooms {
      guard let device = room.device else { continue }
      devices[room.id] = device
      owners[device] = room.id
    }
  }

  // MARK: State

  package var prompt: Prompt {
    if hasEnded { return .nothing }
    if let proposal { return .offset(proposal) }
    return index < stops.count ? .label(stops[index], number: index + 1, of: stops.count) : .nothing
  }

  /// The captured devices, in the order of the rooms.
  package var captured: [Assignment] {
    captures.map(\.assignment).sorted { a, b in
      (stops.firstIndex(of: a.stop) ?? 0) < (stops.firstIndex(of: b.stop) ?? 0)
    }
  }

  /// The rooms whose label must still be read.
  package var missing: [Stop] {
    let captured = Set(captures.map(\.assignment.stop.room))
    return stops.filter { stop in
      devices[stop.room] == nil || unlabelled.contains(stop.room) && !captured.contains(stop.room)
    }
  }

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
    let stop = stops[index]
    guard let family = families[stop.room] else { return .nothing }
    let label: DeviceLabel
    do throws(LabelProblem) {
      label = try LabelText.label(in: line, of: family, drivers, beside: owners.keys.compactMap(\.address))
    } catch {
      return .refused(.text(error))
    }
    var device = label.device
    if case .address(let address) = device {
      guard let advanced = address.advanced(by: offset) else { return .refused(.beyondAll(address)) }
      device = .address(advanced)
    }
    if let owner = owners[device], owner != stop.room {
      return .refused(.taken(device, by: names[owner] ?? owner.rawValue))
    }
    pending = [Assignment(stop: stop, label: label, device: device)]
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
  /// - Parameter isOnAir: Whether a device is on air; nil without a scan.
  package mutating func saved(_ isOnAir: ((DeviceReference) -> Bool)?) {
    guard let saved = pending else { return }
    pending = nil
    if let proposal {
      apply(saved, of: proposal)
    } else if let assignment = saved.first {
      let previous = set(assignment.device, of: assignment.stop.room)
      steps.append(
        .captured(
          Captured(
            index: index, assignment: assignment, isSilent: isOnAir.map { !$0(assignment.device) } ?? false,
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
        captured.assignment.device = captured.assignment.label.device
        _ = set(captured.assignment.device, of: captured.assignment.stop.room)
        steps[position] = .captured(captured)
      }
      declined.insert(offset)
      offset = 0
    case .skipped?, nil: break
    }
  }

  /// - Returns: the room's previous device.
  private mutating func set(_ device: DeviceReference?, of room: RoomID) -> DeviceReference? {
    let previous = devices[room]
    if let previous, owners[previous] == room { owners[previous] = nil }
    devices[room] = device
    if let device { owners[device] = room }
    return previous
  }

  // MARK: Offsets

  private func proposal(_ isOnAir: (DeviceReference) -> Bool) -> OffsetProposal? {
    let captures = captures.filter { $0.assignment.label.device.address != nil }
    // A label that was silent when it was read may be on air now.
    let silent = captures.filter { $0.isSilent && !isOnAir($0.assignment.device) }
    guard silent.count >= Self.fewestSilent else { return nil }
    let received = captures.count - silent.count
    let proposals = Self.offsets.filter { !declined.contains($0) }.map { offset in
      let evidence = silent.filter { captured in
        guard let address = captured.assignment.label.device.address?.advanced(by: offset) else {
          return false
        }
        return isOnAir(.address(address)) && owners[.address(address)] == nil
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
      let labels = silent.compactMap { captured in
        captured.assignment.label.device.address.map { (captured.assignment, $0) }
      }
      let assignments = labels.sorted { $0.1 > $1.1 }.compactMap { assignment, address in
        address.advanced(by: proposal.offset).map {
          Assignment(stop: assignment.stop, label: assignment.label, device: .address($0))
        }
      }
      let rooms = Set(assignments.map(\.stop.room))
      let free = assignments.filter { owners[$0.device].map(rooms.contains) ?? true }
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
    for assignment in saved { _ = set(assignment.device, of: assignment.stop.room) }
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
