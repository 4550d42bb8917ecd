package import Bluetooth
package import Model
import Session

/// The state of a walk through the rooms of a building, in which the label of each room's device is read: the next question, and
/// the action for each entry. `roboprov capture` writes the devices into the manifest, `roboprov walk` also provisions them.
///
/// It performs no effects. The caller performs each `Action` and reports the result.
package struct Walk: Sendable {
  /// A room of the walk.
  package struct Stop: Hashable, Sendable {
    package let room: Room
    /// Whether secrets of its device must still be read from its label: an address alone is not enough.
    package let needsLabel: Bool
    /// What is known of its device: its address, its name, or both.
    package fileprivate(set) var devices: [DeviceReference]
    /// Whether its device was provisioned in this walk; nil until that was attempted.
    package fileprivate(set) var isDone: Bool?
    /// The label that was read in this walk.
    fileprivate(set) var label: DeviceLabel?
    /// Whether the address of that label, or of the manifest, is not on air.
    fileprivate(set) var isSilent = false

    /// The label that was read in this walk, or as the address that the manifest has for the room stands for one.
    var written: DeviceLabel? { label ?? device?.address.map { DeviceLabel(.address($0)) } }

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
    case offset(AddressOffset)
    /// Ask whether a label with an EUI-64 is of the device with the address from which that was made.
    case conversion(BluetoothAddress)
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
    /// The room's place in the walk.
    let index: Int
    package let room: RoomID
    package let name: String
    var label: DeviceLabel
    /// The label's device; if that is an address, plus the offset.
    package let device: DeviceReference
  }

  /// What a step changed, for undo.
  private struct Step: Sendable {
    let index: Int
    let offset: Int
    /// The rooms before it; none for a room that was skipped.
    let stops: [(index: Int, stop: Stop)]
  }

  /// Whether each room is provisioned once its label is read. If not, a label may also replace the room's device.
  package let provisions: Bool
  /// The rooms, in the order of the walk.
  private var stops: [Stop]
  private let owners: [DeviceReference: String]
  private let drivers: [FamilyDriver]
  private var index = 0
  private var steps: [Step] = []
  private var pending: [Assignment] = []
  private var proposal: AddressOffset?
  private var declined: Set<Int> = []
  private var conversion: BluetoothAddress?
  /// Whether the addresses of the manifest were compared with what is on air.
  private var hasCompared = false
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
    if let conversion { return .conversion(conversion) }
    return index < stops.count ? .label(stops[index], number: index + 1, of: stops.count) : .nothing
  }

  /// The room whose label is read; nil at the end of the walk, and while there is another question.
  package var current: Stop? { if case .label(let stop, _, _) = prompt { stop } else { nil } }

  /// The number of rooms that are done.
  package var done: Int { stops.count - left.count }

  /// The rooms that are not done.
  package var left: [Stop] { stops.filter { $0.isDone != true } }

  /// The devices of the labels that were read, in the order of the rooms.
  package var captured: [Assignment] {
    stops.enumerated().compactMap { index, stop in
      guard let label = stop.label, let device = stop.device else { return nil }
      return Assignment(index: index, room: stop.room.id, name: stop.name, label: label, device: device)
    }
  }

  /// The rooms whose label must still be read.
  package var missing: [Stop] { stops.filter { $0.devices.isEmpty || $0.needsLabel && $0.label == nil } }

  /// The addresses that belong to a room.
  package var taken: Set<BluetoothAddress> {
    Set(owners.keys.compactMap(\.address)).union(stops.flatMap(\.devices).compactMap(\.address))
  }

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
    if let conversion { return answer(word, conversion, stop) }
    switch word {
    case "s":
      steps.append(Step(index: index, offset: offset, stops: []))
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
    let device = stop.device ?? nearest.map { DeviceReference.address($0) }
    switch word {
    case ".":
      if stop.device != nil { return .provision(stop.room.id) }
      if stop.needsLabel { return .show(.needsLabel) }
      guard let nearest, !taken.contains(nearest) else { return .show(.nothingToTake) }
      return save(assignment(DeviceLabel(.address(nearest)), at: index, plus: 0))
    case "r": return stop.device == nil ? .show(.nothingToTake) : .provision(stop.room.id)
    case "l": return device.map { Action.locate($0) } ?? Action.show(.nothingToTake)
    case "i":
      guard stop.canIdentify else { return .show(.cannotIdentify) }
      return device.map { Action.identify($0) } ?? Action.show(.nothingToTake)
    default: return nil
    }
  }

  private mutating func label(_ text: String, _ stop: Stop) -> Action {
    let label: DeviceLabel
    do throws(LabelProblem) {
      label = try LabelText.label(in: text, of: stop.room.family.id, drivers, beside: Array(taken))
    } catch {
      if case .eui64(let address) = error {
        conversion = address
        return .nothing
      }
      return .show(.badLabel(error))
    }
    return take(label, stop)
  }

  private mutating func answer(_ word: String, _ address: BluetoothAddress, _ stop: Stop) -> Action {
    switch word {
    case "y", "yes":
      conversion = nil
      return take(DeviceLabel(.address(address)), stop)
    case "n", "no":
      conversion = nil
      return .show(.notConverted)
    default: return .nothing
    }
  }

  private mutating func take(_ label: DeviceLabel, _ stop: Stop) -> Action {
    let assigned = assignment(label, at: index, plus: offset)
    guard let device = assigned?.device else { return .show(.beyondAll(label.device)) }
    let isKnown = stop.devices.contains(device)
    // The secrets on the label may be other ones than those that the room has.
    if provisions, isKnown, label.secrets.isEmpty { return .provision(stop.room.id) }
    let other =
      owners[device] ?? stops.first { $0.room.id != stop.room.id && $0.devices.contains(device) }?.name
    if let other { return .show(.wrongLabel(device, room: other)) }
    if provisions, !isKnown, let has = stop.device { return .show(.otherDevice(device, has: has)) }
    if stop.needsLabel, device.name == nil { return .show(.needsLabel) }
    return save(assigned)
  }

  /// The room at a place with a label's device; nil if its address plus the offset exceeds 48 bits.
  private func assignment(_ label: DeviceLabel, at index: Int, plus offset: Int) -> Assignment? {
    let (room, address) = (stops[index].room, label.device.address)
    let moved = address.flatMap { $0.advanced(by: offset) }
    if address != nil, moved == nil { return nil }
    return Assignment(
      index: index, room: room.id, name: room.name, label: label,
      device: moved.map { DeviceReference.address($0) } ?? label.device)
  }

  private mutating func save(_ assignment: Assignment?) -> Action {
    pending = [assignment].compactMap(\.self)
    return .save(pending)
  }

  private mutating func undo() -> Action {
    guard let step = steps.last else { return .show(.nothingToUndo) }
    if let changed = step.stops.first { return .undo(changed.stop.name) }
    undone()
    return .show(.back(stops[index].name))
  }

  private mutating func goOn() {
    index += 1
    while index < stops.count, stops[index].isDone == true { index += 1 }
  }

  // MARK: Results

  /// Records that the assignments of `save` are written. Unless the walk provisions, the next room follows.
  /// - Parameter isOnAir: Whether a device is on air; nil if labels are not compared with that.
  package mutating func saved(_ isOnAir: ((DeviceReference) -> Bool)? = nil) {
    steps.append(Step(index: index, offset: offset, stops: pending.map { ($0.index, stops[$0.index]) }))
    for assignment in pending {
      stops[assignment.index].label = assignment.label
      // A room keeps what is on record of a device that it has already.
      if provisions, stops[assignment.index].devices.contains(assignment.device) { continue }
      stops[assignment.index].devices = [assignment.device]
    }
    if let proposal {
      (self.proposal, offset) = (nil, proposal.offset)
    } else if let device = pending.first?.device {
      stops[index].isSilent = device.address != nil && isOnAir?(device) == false
      if !provisions { goOn() }
    }
    pending = []
    if let isOnAir { propose(isOnAir) }
  }

  /// Compares the addresses that the manifest has, perhaps from a table, with what is on air. Only once: then labels decide.
  package mutating func compare(_ isOnAir: (DeviceReference) -> Bool) {
    guard !hasCompared, current != nil else { return }
    hasCompared = true
    for index in stops.indices where stops[index].label == nil {
      stops[index].isSilent = stops[index].written != nil
    }
    propose(isOnAir)
  }

  private mutating func propose(_ isOnAir: (DeviceReference) -> Bool) {
    guard offset == 0 else { return }
    for index in stops.indices where stops[index].isSilent {
      // A label that was silent when it was read may be on air now.
      stops[index].isSilent = stops[index].device.map(isOnAir) == false
    }
    let taken = self.taken
    let given = stops.filter { $0.label != nil || hasCompared }.compactMap { stop in
      stop.written?.device.address.map {
        AddressOffset.Given(room: stop.name, address: $0, isSilent: stop.isSilent)
      }
    }
    proposal = AddressOffset(given, except: declined) { address in
      !taken.contains(address) && isOnAir(.address(address))
    }
  }

  /// Records that writing or undoing failed; the same prompt follows. A proposed offset counts as declined.
  package mutating func notSaved() {
    pending = []
    declineOffset()
  }

  /// Records that the last step is undone. Its room becomes the current one.
  package mutating func undone() {
    guard let step = steps.popLast() else { return }
    if step.offset != offset { declined.insert(offset) }
    (index, offset) = (step.index, step.offset)
    for (index, stop) in step.stops { stops[index] = stop }
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

  private mutating func answer(_ word: String, _ proposal: AddressOffset) -> Action {
    switch word {
    case "y", "yes":
      let moved = stops.indices.compactMap { index in
        stops[index].isSilent
          ? stops[index].written.flatMap { assignment($0, at: index, plus: proposal.offset) } : nil
      }
      let places = Set(moved.map(\.index))
      let others = stops.indices.filter { !places.contains($0) }.flatMap { stops[$0].devices }
      let taken = Set(owners.keys).union(others)
      // The highest label comes first, because the new address of a room may be the old one of the next higher label.
      pending = moved.filter { !taken.contains($0.device) }.sorted {
        ($0.device.address?.rawValue ?? 0) > ($1.device.address?.rawValue ?? 0)
      }
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
}
