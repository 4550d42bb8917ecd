package import Bluetooth
package import Model
package import Session

/// The state of a walk through the rooms of a building, in which the label of each room's device is read: the next question, and
/// the action for each entry. `roboprov capture` writes the devices into the manifest, `roboprov walk` also provisions them.
///
/// It performs no effects. The caller performs each `Action` and reports the result.
package struct Walk: Sendable {
  /// A room of the walk.
  package struct Stop: Hashable, Sendable {
    package let room: Room
    /// Whether secrets of its device are still to be read from its label, so that an address is not enough.
    package let needsLabel: Bool
    /// What is known of its device: its address, its name, or both.
    package fileprivate(set) var devices: [DeviceReference]
    /// Whether its device was provisioned in this walk; nil until that was attempted.
    package fileprivate(set) var isDone: Bool?

    package var name: String { room.name }
    /// The room's device; nil until one is known.
    package var device: DeviceReference? { devices.first }
    /// Whether its device can be asked to show where it is.
    package var canIdentify: Bool { BuiltIn.drivers[room.family.id]?.identify != nil }
  }

  /// The next question to the person.
  package enum Prompt: Hashable, Sendable {
    /// Read the label of this room. Number and count are the progress.
    case label(Stop, number: Int, of: Int)
    /// Ask whether board addresses differ from labels by this offset.
    case offset(OffsetProposal)
    /// No further action: all rooms were visited, or the person quit.
    case nothing
  }

  /// The effect of an entry.
  package enum Action: Hashable, Sendable {
    case nothing
    case show(Message)
    /// Write these devices into the manifest together, in this order; then call `saved` or `notSaved`. Once it is saved, a
    /// walk that provisions provisions the room.
    case save([Assignment])
    /// Provision the current room. Then call `ended`.
    case provision(RoomID)
    /// Show the signal of the room's device until a key is pressed.
    case locate(DeviceReference)
    /// Have the device blink.
    case identify(DeviceReference)
    /// Take back the last save, of this room or, after an accepted offset, of all rooms of the offset; then call `undone`.
    case undo(String)
  }

  /// The device for a room.
  package struct Assignment: Hashable, Sendable {
    package var room: RoomID
    package var name: String
    package var label: DeviceLabel
    /// The label's device; if that is an address, plus the offset.
    package var device: DeviceReference
  }

  /// A step that can be undone.
  private enum Step: Sendable {
    case saved(Saved)
    /// The room that was skipped, by its index.
    case skipped(Int)
    /// The rooms to which an offset was applied.
    case offset(Set<RoomID>)
  }

  private struct Saved: Sendable {
    let index: Int
    var assignment: Assignment
    var isSilent: Bool
    let previous: [DeviceReference]
  }

  /// Whether each room is provisioned once its label is read. If not, a label may also replace the room's device.
  package let provisions: Bool
  /// The rooms, in the order of the walk.
  package private(set) var stops: [Stop]
  private let owners: [DeviceReference: String]
  private let drivers: [FamilyDriver]
  private var index = 0
  private var steps: [Step] = []
  private var pending: [Assignment] = []
  private var proposal: OffsetProposal?
  private var declined: Set<Int> = []
  private var hasEnded = false
  /// The accepted difference between board and label addresses; 0 without one.
  package private(set) var offset = 0

  /// The keys with a meaning on an empty line. None is a hexadecimal digit, with which a label begins.
  package static let keys: Set<Character> = ["r", "s", "u", "l", "i", "q", "?"]

  /// - Parameters:
  ///   - rooms: The rooms to visit, in this order.
  ///   - unlabelled: Those whose label must be read although they have a device.
  ///   - address: The address of a room's device by the record.
  package init(
    _ rooms: [Room], of building: Building, unlabelled: Set<RoomID> = [], provisions: Bool,
    recorded address: (Room) -> BluetoothAddress? = { _ in nil }
  ) {
    func devices(of room: Room) -> [DeviceReference] {
      let known = room.address ?? address(room)
      let devices: [DeviceReference?] = [known.map { .address($0) }, room.deviceName.map { .name($0) }]
      return devices.compactMap(\.self)
    }
    stops = rooms.map { room in
      Stop(
        room: room, needsLabel: room.awaitsLabel || unlabelled.contains(room.id), devices: devices(of: room))
    }
    let visited = Set(rooms.map(\.id))
    let others = building.rooms.filter { !visited.contains($0.id) }.flatMap { room in
      devices(of: room).map { ($0, room.name) }
    }
    owners = Dictionary(others) { first, _ in first }
    (drivers, self.provisions) = (building.drivers, provisions)
  }

  // MARK: State

  package var prompt: Prompt {
    if hasEnded { return .nothing }
    if let proposal { return .offset(proposal) }
    return index < stops.count ? .label(stops[index], number: index + 1, of: stops.count) : .nothing
  }

  /// The room whose label is read; nil at the end of the walk, and while there is another question.
  package var current: Stop? { if case .label(let stop, _, _) = prompt { stop } else { nil } }

  /// The rooms that are not done.
  package var left: [Stop] { stops.filter { $0.isDone != true } }

  /// The devices of the labels that were read, in the order of the rooms.
  package var captured: [Assignment] { saves.sorted { $0.index < $1.index }.map(\.assignment) }

  /// The rooms whose label must still be read.
  package var missing: [Stop] {
    let read = Set(saves.map(\.assignment.room))
    return stops.filter { $0.devices.isEmpty || $0.needsLabel && !read.contains($0.room.id) }
  }

  /// The addresses that belong to a room.
  package var taken: Set<BluetoothAddress> {
    Set(owners.keys.compactMap(\.address)).union(stops.flatMap(\.devices).compactMap(\.address))
  }

  private var saves: [Saved] { steps.compactMap { if case .saved(let saved) = $0 { saved } else { nil } } }

  // MARK: Entries

  /// Ends the walk; there is no further prompt.
  package mutating func end() { hasEnded = true }

  /// The action for a scanned label, a typed line or a key. Enter on an empty line is `.`.
  /// - Parameter nearest: The device that is clearly nearest, or that was just switched on.
  package mutating func read(_ entry: String, nearest: BluetoothAddress? = nil) -> Action {
    let word = entry.filter { !$0.isWhitespace }.lowercased()
    guard prompt != .nothing, !word.isEmpty else { return .nothing }
    if word == "q" {
      end()
      return .nothing
    }
    if let proposal { return answer(word, proposal) }
    let stop = stops[index]
    switch word {
    case "s":
      steps.append(.skipped(index))
      goOn()
      return .show(.skipped(stop.name))
    case "u": return undo()
    case "?", "h", "help": return .show(.help(provisions: provisions))
    case "." where !provisions: return .nothing
    default:
      if provisions, let action = work(word, stop, nearest) { return action }
      return label(entry, stop)
    }
  }

  /// The action for a key that only a walk that provisions has; nil for any other entry.
  private mutating func work(_ word: String, _ stop: Stop, _ nearest: BluetoothAddress?) -> Action? {
    let device = stop.device ?? nearest.map { .address($0) }
    switch word {
    case ".":
      if stop.device != nil { return .provision(stop.room.id) }
      if stop.needsLabel { return .show(.needsLabel) }
      guard let nearest, !taken.contains(nearest) else { return .show(.nothingToTake) }
      return save(DeviceLabel(.address(nearest)), .address(nearest), stop)
    case "r": return stop.device == nil ? .show(.nothingToTake) : .provision(stop.room.id)
    case "l": return device.map { Action.locate($0) } ?? .show(.nothingToTake)
    case "i":
      guard stop.canIdentify else { return .show(.cannotIdentify) }
      return device.map { Action.identify($0) } ?? .show(.nothingToTake)
    default: return nil
    }
  }

  private mutating func label(_ text: String, _ stop: Stop) -> Action {
    let label: DeviceLabel
    do throws(LabelProblem) {
      label = try LabelText.label(in: text, of: stop.room.family.id, drivers, beside: Array(taken))
    } catch {
      return .show(.badLabel(error))
    }
    var device = label.device
    if case .address(let address) = device {
      guard let advanced = address.advanced(by: offset) else { return .show(.beyondAll(address)) }
      device = .address(advanced)
    }
    let isKnown = stop.devices.contains(device)
    // The secrets on the label may be other ones than those that the room has.
    if provisions, isKnown, label.secrets.isEmpty { return .provision(stop.room.id) }
    let other =
      owners[device] ?? stops.first { $0.room.id != stop.room.id && $0.devices.contains(device) }?.name
    if let other { return .show(.wrongLabel(device, room: other)) }
    if provisions, !isKnown, let has = stop.device { return .show(.otherDevice(device, has: has)) }
    if stop.needsLabel, device.name == nil { return .show(.needsLabel) }
    return save(label, device, stop)
  }

  private mutating func save(_ label: DeviceLabel, _ device: DeviceReference, _ stop: Stop) -> Action {
    pending = [Assignment(room: stop.room.id, name: stop.name, label: label, device: device)]
    return .save(pending)
  }

  private mutating func undo() -> Action {
    switch steps.last {
    case nil: return .show(.nothingToUndo)
    case .skipped(let index)?:
      steps.removeLast()
      self.index = index
      return .show(.back(stops[index].name))
    case .saved(let saved)?: return .undo(saved.assignment.name)
    case .offset?: return .undo(stops[max(0, index - 1)].name)
    }
  }

  private mutating func goOn() {
    index += 1
    while index < stops.count, stops[index].isDone == true { index += 1 }
  }

  // MARK: Results

  /// Records that the assignments of `save` are written. Unless the walk provisions, the next room follows.
  /// - Parameter isOnAir: Whether a device is on air; nil if labels are not compared with that.
  package mutating func saved(_ isOnAir: ((DeviceReference) -> Bool)? = nil) {
    guard let assignment = pending.first else { return }
    if let proposal {
      (self.proposal, offset) = (nil, proposal.offset)
      let rooms = Set(pending.map(\.room))
      move(rooms, by: offset)
      steps.append(.offset(rooms))
    } else {
      steps.append(
        .saved(
          Saved(
            index: index, assignment: assignment, isSilent: isOnAir.map { !$0(assignment.device) } ?? false,
            previous: stops[index].devices)))
      stops[index].devices = [assignment.device]
      if !provisions { goOn() }
    }
    pending = []
    if let isOnAir, offset == 0 { propose(isOnAir) }
  }

  /// Records that writing or undoing failed; the same prompt follows. A proposed offset counts as declined.
  package mutating func notSaved() {
    pending = []
    declineOffset()
  }

  /// Records that the last step is undone. Its room becomes the current one.
  package mutating func undone() {
    switch steps.popLast() {
    case .saved(let saved)?:
      index = saved.index
      (stops[index].devices, stops[index].isDone) = (saved.previous, nil)
    case .offset(let rooms)?:
      move(rooms, by: 0)
      declined.insert(offset)
      offset = 0
    case .skipped?, nil: break
    }
  }

  /// Records the result of provisioning the current room. After a success the next room that is not done becomes the current
  /// one, and nothing before it can be undone.
  package mutating func ended(isDone: Bool) {
    stops[index].isDone = isDone
    guard isDone else { return }
    steps = []
    goOn()
  }

  // MARK: Offsets

  private mutating func propose(_ isOnAir: (DeviceReference) -> Bool) {
    for case (let position, .saved(var saved)) in steps.enumerated() where saved.isSilent {
      // A label that was silent when it was read may be on air now.
      saved.isSilent = !isOnAir(saved.assignment.device)
      steps[position] = .saved(saved)
    }
    let labels = saves.compactMap { saved in
      saved.assignment.label.device.address.map {
        OffsetProposal.Label(room: saved.assignment.name, address: $0, isSilent: saved.isSilent)
      }
    }
    let taken = self.taken
    proposal = OffsetProposal(labels, except: declined) { address in
      !taken.contains(address) && isOnAir(.address(address))
    }
  }

  private mutating func answer(_ word: String, _ proposal: OffsetProposal) -> Action {
    switch word {
    case "y", "yes":
      // The highest label comes first, because the new address of a room may be the old one of the next higher label.
      let silent = saves.filter(\.isSilent).sorted {
        ($0.assignment.device.address?.rawValue ?? 0) > ($1.assignment.device.address?.rawValue ?? 0)
      }
      let assignments = silent.compactMap { saved -> Assignment? in
        var assignment = saved.assignment
        guard let address = assignment.label.device.address?.advanced(by: proposal.offset) else { return nil }
        assignment.device = .address(address)
        return assignment
      }
      let rooms = Set(assignments.map(\.room))
      let taken = Set(owners.keys).union(stops.filter { !rooms.contains($0.room.id) }.flatMap(\.devices))
      pending = assignments.filter { !taken.contains($0.device) }
      return .save(pending)
    case "n", "no":
      declineOffset()
      return .show(.offsetDeclined)
    default: return .nothing
    }
  }

  private mutating func declineOffset() {
    if let proposal { declined.insert(proposal.offset) }
    proposal = nil
  }

  /// Gives rooms the addresses of their labels plus an offset.
  private mutating func move(_ rooms: Set<RoomID>, by offset: Int) {
    for case (let position, .saved(var saved)) in steps.enumerated() {
      guard rooms.contains(saved.assignment.room),
        let address = saved.assignment.label.device.address?.advanced(by: offset)
      else { continue }
      saved.assignment.device = .address(address)
      stops[saved.index].devices = [.address(address)]
      steps[position] = .saved(saved)
    }
  }
}
