public import Bluetooth
public import Model

/// The dialogue in which labels are read, room by room: what is asked next, and what follows from each line that is read.
///
/// Decides and does nothing: whoever holds it writes what it wants to have written (`Action`), and says what became of it.
public struct Capture: Sendable {
  /// A room whose label is read.
  public struct Stop: Hashable, Sendable {
    /// The room.
    public var room: RoomID
    /// What people call it.
    public var name: String
  }

  /// What is asked now.
  public enum Prompt: Hashable, Sendable {
    /// The label of a room, the nth of so many.
    case label(Stop, number: Int, of: Int)
    /// Whether labels show another address than boards have, by so much.
    case offset(OffsetProposal)
    /// Nothing: all is read, or the person wants no more.
    case nothing
  }

  /// What is to be done with a line.
  public enum Action: Hashable, Sendable {
    /// Nothing.
    case nothing
    /// Write these addresses, in this order and together; then say so (`saved`), or that it failed (`notSaved`).
    case save([Assignment])
    /// Make the last written addresses what they were before; then say so (`undone`), or that it failed (`notSaved`).
    case undo(Stop)
    /// Go back to this room, which was left out.
    case back(Stop)
    /// Say that this room was left out.
    case skipped(Stop)
    /// Say why a label was not taken.
    case refused(Refusal)
    /// Say that there is nothing to undo.
    case nothingToUndo
    /// Say what can be given.
    case help
    /// Ask the same again: the answer is neither yes nor no.
    case askAgain
    /// Say that labels stay as they are.
    case offsetDeclined
  }

  /// An address that a room gets.
  public struct Assignment: Hashable, Sendable {
    /// The room.
    public var stop: Stop
    /// What its label shows.
    public var label: BluetoothAddress
    /// What it gets: that, or so many more.
    public var address: BluetoothAddress
  }

  /// Why a label is not taken.
  public enum Refusal: Hashable, Sendable {
    /// It has no address, or not one.
    case text(LabelProblem)
    /// The address is another room's.
    case taken(BluetoothAddress, by: String)
    /// With the offset it would be beyond all addresses.
    case beyondAll(BluetoothAddress)
  }

  /// What the boards of silent labels seem to have.
  public struct OffsetProposal: Hashable, Sendable {
    /// How much more than its label a board's address is.
    public var offset: Int
    /// The rooms whose label is silent while the address so much higher is on air.
    public var evidence: [Stop]
    /// How many labels are silent.
    public var silent: Int
  }

  /// A step that can be undone.
  private enum Step: Sendable {
    case captured(Captured)
    case skipped
    /// An offset was applied to these, which had none.
    case offset([RoomID])
  }

  private struct Captured: Sendable {
    var index: Int
    var assignment: Assignment
    var isSilent: Bool
    var previous: BluetoothAddress?
  }

  /// How many silent labels make an offset worth asking for.
  public static let fewestSilent = 3
  /// The offsets that are looked for: boards that count a second and third interface from a base address.
  public static let offsets = [1, 2]

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
  /// How much more than labels show rooms get.
  public private(set) var offset = 0

  /// A dialogue about rooms of a building.
  /// - Parameter rooms: Whose labels are read, in this order.
  public init(_ building: Building, rooms: [RoomID]) {
    let names = Dictionary(uniqueKeysWithValues: building.rooms.map { ($0.id, $0.name) })
    self.names = names
    stops = rooms.map { Stop(room: $0, name: names[$0] ?? $0.rawValue) }
    for room in building.rooms {
      guard let address = room.address else { continue }
      addresses[room.id] = address
      owners[address] = room.id
    }
  }

  // MARK: What is known

  /// What is asked now.
  public var prompt: Prompt {
    if hasEnded { return .nothing }
    if let proposal { return .offset(proposal) }
    return index < stops.count ? .label(stops[index], number: index + 1, of: stops.count) : .nothing
  }

  /// What was captured, in the order of the rooms.
  public var captured: [Assignment] {
    captures.map(\.assignment).sorted { a, b in
      (stops.firstIndex(of: a.stop) ?? 0) < (stops.firstIndex(of: b.stop) ?? 0)
    }
  }

  /// The rooms that have no address still.
  public var missing: [Stop] { stops.filter { addresses[$0.room] == nil } }

  private var captures: [Captured] {
    steps.compactMap { if case .captured(let captured) = $0 { captured } else { nil } }
  }

  // MARK: What is read

  /// Ends the dialogue: no more is asked.
  public mutating func end() { hasEnded = true }

  /// What follows from a line that was read.
  public mutating func read(_ line: String) -> Action {
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

  // MARK: What became of it

  /// Says that what was to be saved is.
  /// - Parameter isOnAir: Whether an address is on air; nil where nobody scans.
  public mutating func saved(_ isOnAir: ((BluetoothAddress) -> Bool)?) {
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

  /// Says that it could not be saved or undone: the same is asked again.
  public mutating func notSaved() {
    pending = nil
    if proposal != nil { declineOffset() }
  }

  /// Says that the last step was undone.
  public mutating func undone() {
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

  /// - Returns: what the room had before.
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
    // What was silent a while ago may be on air by now.
    let silent = captures.filter { $0.isSilent && !isOnAir($0.assignment.address) }
    guard silent.count >= Self.fewestSilent else { return nil }
    let heard = captures.count - silent.count
    let proposals = Self.offsets.filter { !declined.contains($0) }.map { offset in
      let evidence = silent.filter { captured in
        guard let address = captured.assignment.label.advanced(by: offset) else { return false }
        return isOnAir(address) && owners[address] == nil
      }
      return OffsetProposal(
        offset: offset, evidence: evidence.map(\.assignment.stop), silent: silent.count)
    }
    // The first of those with the most evidence. Labels that are right speak against it.
    let best = proposals.max { $0.evidence.count < $1.evidence.count }
    return best.flatMap { $0.evidence.count >= max(Self.fewestSilent, heard + 1) ? $0 : nil }
  }

  private mutating func answer(_ word: String, _ proposal: OffsetProposal) -> Action {
    switch word {
    case "y", "yes":
      let silent = captures.filter(\.isSilent)
      // From the highest on: what one room gives up the next may need.
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
  /// The address so many higher; nil beyond the last.
  fileprivate func advanced(by offset: Int) -> BluetoothAddress? {
    let (value, overflow) = rawValue.addingReportingOverflow(UInt64(offset))
    return overflow || value >= 0xFFFF_FFFF_FFFF ? nil : BluetoothAddress(rawValue: value)
  }
}
