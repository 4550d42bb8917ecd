package import Bluetooth
package import Model
import Session

/// The state of a walk through the rooms of a building, in which the label of each room's device is read: the next question to
/// each person, and the action for each entry. `roboprov capture` writes the devices into the manifest, `roboprov walk` also
/// provisions them.
///
/// Rooms and offset are shared. Each person is at a room of their own, and takes back their own steps. The person at the
/// terminal goes from room to room; one with a phone chooses each.
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
    /// Whether a person left it out, and nothing was done since.
    package fileprivate(set) var isSkipped = false
    /// Who changed it last; nil if nobody did.
    fileprivate(set) var by: Person?
    /// Differs after each change.
    fileprivate var version = 0

    /// The label that was read in this walk, or as the address that the manifest has for the room stands for one.
    var written: DeviceLabel? { label ?? device?.address.map { DeviceLabel(.address($0)) } }

    package var name: String { room.name }
    /// Whether its label was read in this walk.
    package var isLabelled: Bool { label != nil }
    /// The room's device; nil until one is known.
    package var device: DeviceReference? { devices.first }
    /// Whether its device can be asked to show where it is.
    package var canIdentify: Bool { BuiltIn.drivers[room.family.id]?.identify != nil }
  }

  /// Somebody who reads labels.
  package struct Person: Hashable, Sendable, Comparable {
    /// The number of the phone, from 1; the terminal is 0. Two persons may have one name.
    package let phone: Int
    package let name: String

    package init(phone: Int, name: String) { (self.phone, self.name) = (phone, name) }

    /// The person at the terminal.
    package static let terminal = Person(phone: 0, name: "the person at the laptop")

    package static func < (first: Person, second: Person) -> Bool { first.phone < second.phone }
    /// The name may change.
    package static func == (first: Person, second: Person) -> Bool { first.phone == second.phone }
    package func hash(into hasher: inout Hasher) { hasher.combine(phone) }
  }

  /// A device that was found for a room, and waits for the person's consent.
  package struct Offer: Hashable, Sendable {
    package let device: BluetoothAddress
    /// What its label would say.
    let label: DeviceLabel
    /// From the label to the device.
    let offset: Int
    package let name: String?
    /// In dBm.
    package let rssi: Int?
  }

  /// What a person does.
  package enum Entry: Hashable, Sendable {
    /// What a label says, or all that is typed.
    case label(String)
    /// The last digits of a label.
    case digits(String)
    /// The device that is offered.
    case device(BluetoothAddress)
    /// Take the nearest device, or provision the room.
    case start
    /// Provision the room.
    case retry
    case locate, identify, skip, undo, help, quit
    case answer(Bool)
  }

  /// The next question to the person.
  package enum Prompt: Hashable, Sendable {
    /// Read the label of this room. Number and count are the progress.
    case label(Stop, number: Int, of: Int)
    /// Ask whether board addresses differ from labels by this offset.
    case offset(AddressOffset)
    /// Ask whether a label with an EUI-64 is of the device with the address from which that was made.
    case conversion(BluetoothAddress)
    /// Ask whether this device is the room's.
    case offer(Offer, Stop)
    /// No further action: all rooms were visited, or the person quit; or a person with a phone is at no room.
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
    /// Find the devices on air whose labels end in these digits. Then call `offer`.
    case find(String, Stop)
    /// Show the signal of the room's device until a key is pressed.
    case locate(DeviceReference)
    /// Have the device blink: the room's, or the one that is offered for it.
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
    /// Where the person was; nil for one with a phone who was at no room.
    let index: Int?
    /// The offset before it, if it changed that.
    let offset: Int?
    /// The rooms before it, and their versions after it; none for a room that was skipped.
    let stops: [(index: Int, stop: Stop, version: Int)]
  }

  /// Where a person is.
  private struct Place: Sendable {
    /// The room; the number of rooms at the end of the walk; nil for a person with a phone who is at none.
    var index: Int?
    var steps: [Step] = []
    var pending: [Assignment] = []
    var conversion: BluetoothAddress?
    var offers: [Offer] = []
  }

  /// Whether each room is provisioned once its label is read. If not, a label may also replace the room's device.
  package let provisions: Bool
  /// The rooms, in the order of the walk.
  private var stops: [Stop]
  private let owners: [DeviceReference: String]
  private let drivers: [FamilyDriver]
  private var places: [Person: Place] = [.terminal: Place(index: 0)]
  private var versions = 0
  private var proposal: (offset: AddressOffset, to: Person)?
  private var declined: Set<Int> = []
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

  package var prompt: Prompt { prompt(to: .terminal) }

  package func prompt(to person: Person) -> Prompt {
    if hasEnded { return .nothing }
    if let proposal, proposal.to == person { return .offset(proposal.offset) }
    guard let place = places[person], let index = place.index, index < stops.count else { return .nothing }
    if let conversion = place.conversion { return .conversion(conversion) }
    if let offer = place.offers.first, place.offers.count == 1 { return .offer(offer, stops[index]) }
    return .label(stops[index], number: index + 1, of: stops.count)
  }

  /// The room whose label is read; nil at the end of the walk, and while there is another question.
  package var current: Stop? { if case .label(let stop, _, _) = prompt { stop } else { nil } }

  /// The room at which a person is.
  package func stop(of person: Person) -> Stop? {
    places[person]?.index.flatMap { $0 < stops.count ? stops[$0] : nil }
  }

  /// The persons at rooms, and those who were.
  package var people: [Person] { places.keys.sorted() }

  package var all: [Stop] { stops }

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

  /// Makes a room that of a person with a phone.
  /// - Returns: Why it is not.
  package mutating func go(to room: RoomID, by person: Person) -> Message? {
    guard let index = stops.firstIndex(where: { $0.room.id == room }) else { return .noRoom }
    // With the name of now.
    places.removeValue(forKey: person).map { places[person] = $0 }
    if let other = holder(of: index, besides: person) { return .occupied(stops[index].name, by: other.name) }
    guard places[person]?.index != index else { return nil }
    leave(by: person)
    places[person, default: Place()].index = index
    return nil
  }

  /// The person is at no room. Their steps can still be taken back.
  package mutating func leave(by person: Person) {
    guard let steps = places[person]?.steps else { return }
    places[person] = Place(steps: steps)
  }

  private func holder(of index: Int, besides person: Person) -> Person? {
    places.filter { $0.value.index == index && $0.key != person }.keys.min()
  }

  /// The action for a scanned label, a typed line or a key. Enter on an empty line is `.`.
  /// - Parameter nearest: The device that is clearly nearest, or that was just switched on.
  package mutating func read(_ text: String, nearest: BluetoothAddress? = nil) -> Action {
    let word = text.filter { !$0.isWhitespace }.lowercased()
    guard !word.isEmpty else { return .nothing }
    let entry: Entry
    switch word {
    case "q": entry = .quit
    case "s": entry = .skip
    case "u": entry = .undo
    case "?", "h", "help": entry = .help
    case "y", "yes": entry = .answer(true)
    case "n", "no": entry = .answer(false)
    // The device that is offered was found by what was typed before, so Enter ends that.
    case ".": entry = if case .offer = prompt { .answer(true) } else { .start }
    case "r" where provisions: entry = .retry
    case "l" where provisions: entry = .locate
    case "i" where provisions: entry = .identify
    default: entry = LabelDigits(word).map { .digits($0.text) } ?? .label(text)
    }
    return enter(entry, nearest: nearest)
  }

  /// The action for what a person does.
  package mutating func enter(
    _ entry: Entry, nearest: BluetoothAddress? = nil, by person: Person = .terminal
  ) -> Action {
    let prompt = prompt(to: person)
    if entry == .undo, person != .terminal { return undo(by: person) }
    guard prompt != .nothing else { return .nothing }
    if entry == .quit {
      end()
      return .nothing
    }
    if case .offset(let proposal) = prompt {
      guard case .answer(let isYes) = entry else { return .nothing }
      return answer(isYes, proposal, by: person)
    }
    guard let index = places[person]?.index else { return .nothing }
    let stop = stops[index]
    if case .conversion(let address) = prompt {
      guard case .answer(let isYes) = entry else { return .nothing }
      places[person]?.conversion = nil
      return isYes ? take(DeviceLabel(.address(address)), at: index, by: person) : .show(.notConverted)
    }
    let offers = places[person]?.offers ?? []
    // A device that blinks is still offered.
    if entry != .identify { places[person]?.offers = [] }
    let offered = offers.count == 1 ? offers.first?.device : nearest
    let device = stop.device ?? offered.map { DeviceReference.address($0) }
    switch entry {
    case .skip:
      places[person]?.steps.append(Step(index: index, offset: nil, stops: []))
      stops[index].isSkipped = true
      goOn(by: person)
      return .show(.skipped(stop.name))
    case .undo: return undo(by: person)
    case .help: return .show(.help(provisions: provisions))
    case .answer(true) where offers.count == 1: return take(offers[0], at: index, by: person)
    case .answer(false) where offers.count == 1: return .nothing
    case .answer: return .show(.badLabel(.noAddress(digits: nil)))
    case .device(let address):
      guard let offer = offers.first(where: { $0.device == address }) else { return .show(.notOffered) }
      return take(offer, at: index, by: person)
    case .start:
      guard provisions else { return .nothing }
      if stop.device != nil { return .provision(stop.room.id) }
      if stop.needsLabel { return .show(.needsLabel) }
      guard let nearest, !taken.contains(nearest) else { return .show(.nothingToTake) }
      return save(assignment(DeviceLabel(.address(nearest)), at: index, plus: 0), by: person)
    case .retry: return stop.device == nil ? .show(.nothingToTake) : .provision(stop.room.id)
    case .locate: return device.map { Action.locate($0) } ?? Action.show(.nothingToTake)
    case .identify:
      guard stop.canIdentify else { return .show(.cannotIdentify) }
      return device.map { Action.identify($0) } ?? Action.show(.nothingToTake)
    case .digits(let digits):
      return stop.needsLabel && !stop.room.family.isNamedByLabel ? .show(.needsLabel) : .find(digits, stop)
    case .label(let text): return label(text, at: index, by: person)
    case .quit: return .nothing
    }
  }

  /// The devices that were found for the person's room.
  package mutating func offer(_ offers: [Offer], to person: Person) { places[person]?.offers = offers }

  private mutating func label(_ text: String, at index: Int, by person: Person) -> Action {
    let label: DeviceLabel
    do throws(LabelProblem) {
      label = try LabelText.label(in: text, of: stops[index].room.family.id, drivers, beside: Array(taken))
    } catch {
      if case .eui64(let address) = error {
        places[person]?.conversion = address
        return .nothing
      }
      return .show(.badLabel(error))
    }
    return take(label, at: index, by: person)
  }

  private mutating func take(_ offer: Offer, at index: Int, by person: Person) -> Action {
    take(offer.label, plus: offer.offset, at: index, by: person)
  }

  private mutating func take(
    _ label: DeviceLabel, plus offset: Int? = nil, at index: Int, by person: Person
  ) -> Action {
    let stop = stops[index]
    let assigned = assignment(label, at: index, plus: offset ?? self.offset)
    guard let device = assigned?.device else { return .show(.beyondAll(label.device)) }
    let isKnown = stop.devices.contains(device)
    // The secrets on the label may be other ones than those that the room has.
    if provisions, isKnown, label.secrets.isEmpty { return .provision(stop.room.id) }
    let other =
      owners[device] ?? stops.first { $0.room.id != stop.room.id && $0.devices.contains(device) }?.name
    if let other { return .show(.wrongLabel(device, room: other)) }
    if provisions, !isKnown, let has = stop.device { return .show(.otherDevice(device, has: has)) }
    if stop.needsLabel, device.name == nil { return .show(.needsLabel) }
    return save(assigned, by: person)
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

  private mutating func save(_ assignment: Assignment?, by person: Person) -> Action {
    let pending = [assignment].compactMap(\.self)
    places[person]?.pending = pending
    return .save(pending)
  }

  /// The room whose last step `undo` takes back; nil if there is none.
  package func undoes(by person: Person) -> Stop? {
    guard let step = places[person]?.steps.last else { return nil }
    return (step.stops.first?.index ?? step.index).map { stops[$0] }
  }

  private mutating func undo(by person: Person) -> Action {
    guard let step = places[person]?.steps.last else { return .show(.nothingToUndo) }
    if let changed = step.stops.first(where: { stops[$0.index].version != $0.version }) {
      let stop = stops[changed.index]
      return .show(.changedSince(stop.name, by: stop.by?.name ?? ""))
    }
    if let index = step.index, let other = holder(of: index, besides: person) {
      return .show(.occupied(stops[index].name, by: other.name))
    }
    if let changed = step.stops.first { return .undo(changed.stop.name) }
    undone(by: person)
    return .show(.back(step.index.map { stops[$0].name } ?? ""))
  }

  /// The next room that is left follows; a person with a phone chooses it.
  private mutating func goOn(by person: Person) {
    guard person == .terminal, var index = places[person]?.index else { return leave(by: person) }
    repeat { index += 1 } while index < stops.count && stops[index].isDone == true
    places[person]?.index = index
  }

  // MARK: Results

  /// Records that the assignments of `save` are written. Unless the walk provisions, the next room follows.
  /// - Parameter isOnAir: Whether a device is on air; nil if labels are not compared with that.
  package mutating func saved(
    by person: Person = .terminal, _ isOnAir: ((DeviceReference) -> Bool)? = nil
  ) {
    guard let place = places[person] else { return }
    let pending = place.pending
    let before = pending.map { ($0.index, stops[$0.index]) }
    let accepted = proposal.flatMap { $0.to == person ? $0.offset.offset : nil }
    for assignment in pending {
      versions += 1
      (stops[assignment.index].version, stops[assignment.index].by) = (versions, person)
      stops[assignment.index].isSkipped = false
      stops[assignment.index].label = assignment.label
      // A room keeps what is on record of a device that it has already.
      if provisions, stops[assignment.index].devices.contains(assignment.device) { continue }
      stops[assignment.index].devices = [assignment.device]
    }
    places[person]?.steps.append(
      Step(
        index: place.index, offset: accepted == nil ? nil : offset,
        stops: before.map { ($0.0, $0.1, stops[$0.0].version) }))
    places[person]?.pending = []
    if let accepted {
      (proposal, offset) = (nil, accepted)
    } else if let only = pending.first {
      stops[only.index].isSilent = only.device.address != nil && isOnAir?(only.device) == false
      if !provisions { goOn(by: person) }
    }
    if let isOnAir { propose(isOnAir, to: person) }
  }

  /// Compares the addresses that the manifest has, perhaps from a table, with what is on air. Only once: then labels decide.
  package mutating func compare(_ isOnAir: (DeviceReference) -> Bool) {
    guard !hasCompared, current != nil else { return }
    hasCompared = true
    for index in stops.indices where stops[index].label == nil {
      stops[index].isSilent = stops[index].written != nil
    }
    propose(isOnAir, to: .terminal)
  }

  private mutating func propose(_ isOnAir: (DeviceReference) -> Bool, to person: Person) {
    guard offset == 0, proposal == nil else { return }
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
    let found = AddressOffset(given, except: declined) { address in
      !taken.contains(address) && isOnAir(.address(address))
    }
    proposal = found.map { ($0, person) }
  }

  /// Records that writing or undoing failed; the same prompt follows. A proposed offset counts as declined.
  package mutating func notSaved(by person: Person = .terminal) {
    places[person]?.pending = []
    if proposal?.to == person { declineOffset() }
  }

  /// Records that the person's last step is undone. Its room becomes the current one.
  package mutating func undone(by person: Person = .terminal) {
    guard let step = places[person]?.steps.popLast() else { return }
    if let before = step.offset {
      declined.insert(offset)
      offset = before
    }
    places[person]?.index = step.index
    if let index = step.index, step.stops.isEmpty { stops[index].isSkipped = false }
    for (index, stop, _) in step.stops { stops[index] = stop }
  }

  /// Records the result of provisioning a room, by default the current one of the terminal. After a success the room at the
  /// terminal is the next one that is not done, and nothing that the person did up to then can be undone.
  package mutating func ended(_ room: RoomID? = nil, isDone: Bool, by person: Person = .terminal) {
    let index = room.map { room in stops.firstIndex { $0.room.id == room } } ?? places[person]?.index
    guard let index, index < stops.count else { return }
    (stops[index].isDone, stops[index].isSkipped) = (isDone, false)
    guard isDone else { return }
    versions += 1
    stops[index].version = versions
    let last = places[person]?.steps.lastIndex { $0.stops.contains { $0.index == index } }
    if person == .terminal {
      places[person]?.steps = []
    } else if let last {
      places[person]?.steps.removeFirst(last + 1)
    }
    if places[person]?.index == index { goOn(by: person) }
  }

  // MARK: Offsets

  private mutating func answer(_ isYes: Bool, _ proposal: AddressOffset, by person: Person) -> Action {
    guard isYes else {
      declineOffset()
      return .show(.offsetDeclined)
    }
    let moved = stops.indices.compactMap { index in
      stops[index].isSilent
        ? stops[index].written.flatMap { assignment($0, at: index, plus: proposal.offset) } : nil
    }
    let places = Set(moved.map(\.index))
    let others = stops.indices.filter { !places.contains($0) }.flatMap { stops[$0].devices }
    let taken = Set(owners.keys).union(others)
    // The highest label comes first, because the new address of a room may be the old one of the next higher label.
    let pending = moved.filter { !taken.contains($0.device) }.sorted {
      ($0.device.address?.rawValue ?? 0) > ($1.device.address?.rawValue ?? 0)
    }
    self.places[person]?.pending = pending
    return .save(pending)
  }

  private mutating func declineOffset() {
    if let proposal { declined.insert(proposal.offset.offset) }
    proposal = nil
  }
}
