package import Bluetooth
package import Engine
import Journal
package import Model
package import VirtualBuilding

/// The rules for a run at each of its events, with any faults and any family.
///
/// A value that takes, in order of time, the writes that reached devices and the recorded events; it collects
/// the violations of rules. The firmware's oracle and the virtual world determine what is correct, never the engine.
package struct Invariants: Sendable {
  /// The state before the run.
  package struct Beginning: Sendable {
    /// The selected rooms.
    package var rooms: [Room]
    /// The firmware of the rooms' devices.
    package var firmware: [FirmwareFamily]
    /// All rooms of the building: none of their secrets may ever be recorded.
    package var building: [Room]
    /// The recorded devices of rooms.
    package var bound: [RoomID: BluetoothAddress]
    /// The flash of each device.
    package var flashes: [BluetoothAddress: Flash]
    /// Devices whose success cannot be distinguished from a failure, because of their family and their
    /// faults.
    package var unprovable: Set<BluetoothAddress>
    /// Devices that acknowledge the number of their room and keep another one: only their beacon shows it.
    package var keepingOtherNumber: Set<BluetoothAddress>
    /// Addresses that a second device may send with, or whose device a person may handle during the run.
    package var shared: Set<BluetoothAddress>
    /// Devices that another laptop wrote since the last write on this record, or that a person reset: what it says
    /// of them without a sighting, and of settings that are not on air, was true at that time.
    package var changedSince: Set<BluetoothAddress>
    /// Rooms whose device the record of this laptop alone proves, with the settings that are wanted.
    package var proved: Set<RoomID>
    /// Rooms whose device the operator permits to write although it may be at work.
    package var forced: Set<RoomID>

    package init(
      rooms: [Room], firmware: [FirmwareFamily], building: [Room]? = nil,
      bound: [RoomID: BluetoothAddress] = [:],
      flashes: [BluetoothAddress: Flash], unprovable: Set<BluetoothAddress> = [],
      keepingOtherNumber: Set<BluetoothAddress> = [], shared: Set<BluetoothAddress> = [],
      changedSince: Set<BluetoothAddress> = [], proved: Set<RoomID> = [], forced: Set<RoomID> = []
    ) {
      self.rooms = rooms
      self.firmware = firmware
      self.building = building ?? rooms
      self.bound = bound
      self.flashes = flashes
      self.unprovable = unprovable
      self.keepingOtherNumber = keepingOtherNumber
      self.shared = shared
      self.changedSince = changedSince
      self.proved = proved
      self.forced = forced
    }
  }

  let beginning: Beginning
  private let secrets: [[UInt8]]
  /// The violations, in the order of detection.
  package private(set) var violations: [Violation] = []

  var bound: [RoomID: BluetoothAddress]
  /// The instants at which a device's bindings, attempts and intents were on disk.
  private var boundAt: [BluetoothAddress: [MonotonicInstant]] = [:]
  private var begunAt: [BluetoothAddress: [MonotonicInstant]] = [:]
  private var submittedAt: [BluetoothAddress: [MonotonicInstant]] = [:]
  var writes: [BluetoothAddress: [WriteRecord]] = [:]
  var finished: [RoomID: RoomFinished] = [:]
  /// Rooms whose device refused in the last attempt.
  private var refused: Set<RoomID> = []
  /// Devices whose button was pressed since the run began.
  private var handled: Set<BluetoothAddress> = []
  private var sequence = 0

  /// The state at the beginning of a run.
  package init(_ beginning: Beginning) {
    self.beginning = beginning
    bound = beginning.bound
    // The first bytes of a secret would also help an attacker. Six digits alone can be a part of any number.
    let texts = beginning.building.flatMap(\.secrets).map { $0.reveal() }
    secrets = Set(texts.map { Passkey($0) == nil ? Array($0.utf8.prefix(6)) : Array("\"\($0)\"".utf8) })
      .filter { !$0.isEmpty }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// The firmware of a room's device.
  private func firmware(of room: Room) -> FirmwareFamily {
    guard let firmware = beginning.firmware.first(where: { $0.name == room.family.id.rawValue }) else {
      preconditionFailure("\(room.family.id) has no virtual firmware")
    }
    return firmware
  }

  mutating func violate(
    _ rule: Violation.Rule, _ text: String, room: RoomID? = nil, device: BluetoothAddress? = nil
  ) {
    var violation = Violation(rule, text, room: room, device: device)
    violation.event = sequence
    violations.append(violation)
  }

  // MARK: Operator actions

  /// A person pressed a device's button: its later state does not depend on the run alone.
  package mutating func handle(_ device: BluetoothAddress) {
    handled.insert(device)
  }

  // MARK: Writes

  /// A write reached a device.
  package mutating func take(_ write: WriteRecord) {
    let address = write.address
    writes[address, default: []].append(write)
    guard let room = beginning.rooms.first(where: { bound[$0.id] == address }) else {
      violate(.ownSettings, "it is no room's, and was written", device: address)
      return
    }
    let truth = firmware(of: room)
    let before = beginning.flashes[address]
    if room.isRegistered {
      violate(
        .registeredUntouched, "it was configured elsewhere, and was written", room: room.id, device: address)
    }
    if !truth.isOwn(write, of: room, before: before) {
      violate(.ownSettings, "it got a stranger's value", room: room.id, device: address)
    }
    let effective = writes[address, default: []].filter { !truth.isHarmless($0) }
    if effective == [write], !handled.contains(address), !beginning.forced.contains(room.id) {
      switch truth.oracle?.access {
      case .provisioningMode? where before.flatMap { truth.oracle?.isAtWork($0) } == true:
        violate(.leftAlone, "it was at work, and was written", room: room.id, device: address)
      case .rewritable? where truth.holds(before, room):
        violate(.leftAlone, "it held everything, and was written", room: room.id, device: address)
      case .partlyReadable? where beginning.proved.contains(room.id) && truth.holds(before, room):
        violate(.leftAlone, "it held everything as proved, and was written", room: room.id, device: address)
      case .provisioningMode?, .rewritable?, .partlyReadable?, .unreadable?, .perAction?, nil: break
      }
    }
    checkIntents(of: write, room, truth)
  }

  private mutating func checkIntents(of write: WriteRecord, _ room: Room, _ truth: FirmwareFamily) {
    let address = write.address
    let wasBound =
      beginning.bound[room.id] == address || boundAt[address]?.contains { $0 <= write.at } ?? false
    if !wasBound {
      violate(.intent, "it was written before the binding was on disk", room: room.id, device: address)
    }
    guard truth.isChange(write) else { return }
    let begun = begunAt[address]?.last { $0 <= write.at }
    let isIntended =
      begun.map { begun in submittedAt[address]?.contains { begun <= $0 && $0 <= write.at } ?? false }
      ?? false
    if !isIntended {
      violate(.intent, "it was changed before the intent was on disk", room: room.id, device: address)
    }
  }

  // MARK: Events

  /// An event is as durable as it must be.
  /// - Parameters:
  ///   - encoded: its line of the journal.
  ///   - instant: when it became durable.
  ///   - flashes: the present flash of the device of a room that gets its outcome.
  package mutating func take(
    _ event: RunEvent, encoded: [UInt8], at instant: MonotonicInstant, flashes: [BluetoothAddress: Flash]
  ) {
    sequence += 1
    if event.sequence != sequence { violate(.replay, "number \(event.sequence) does not follow") }
    sequence = event.sequence
    checkSecrecy(encoded)
    switch event.fact {
    case .bindingCommitted(let fact):
      bound[fact.room] = fact.address
      boundAt[fact.address, default: []].append(instant)
    case .bindingReleased(let fact):
      if bound[fact.room] == fact.address { bound[fact.room] = nil }
    case .attemptStarted(let fact):
      begunAt[fact.address, default: []].append(instant)
      refused.remove(fact.room)
      if bound[fact.room] != fact.address {
        violate(.intent, "it is tried without a binding", room: fact.room, device: fact.address)
      }
      if finished[fact.room] != nil {
        violate(.oneOutcome, "it is tried after its outcome", room: fact.room, device: fact.address)
      }
    case .saveSubmitted(let fact):
      submittedAt[fact.address, default: []].append(instant)
    case .statusReceived(let fact):
      if fact.meaning == .refusal { refused.insert(fact.room) }
    case .roomFinished(let fact):
      take(fact, flashes)
    default:
      break
    }
  }

  private mutating func take(_ fact: RoomFinished, _ flashes: [BluetoothAddress: Flash]) {
    guard let room = beginning.rooms.first(where: { $0.id == fact.room }) else {
      violate(.oneOutcome, "it was not selected, and has an outcome", room: fact.room)
      return
    }
    let isContradicted = fact.reason?.code == .contradictorySightings
    if let first = finished.updateValue(fact, forKey: room.id), !first.outcome.isSuccess || !isContradicted {
      violate(.oneOutcome, "it has a second outcome", room: room.id)
    }
    if isContradicted, let address = fact.reason?.addresses?.first, !handled.contains(address),
      !beginning.shared.contains(address)
    {
      violate(.truth, "one device alone sends with this address", room: room.id, device: address)
    }
    let truth = firmware(of: room)
    if fact.outcome.isSuccess { checkProof(fact, room, truth, flashes) }
    checkTruth(fact, room, truth, flashes)
  }

  /// After a write, success means that the flash holds everything the room wants, and that the device sent
  /// the proof; without one, that the device advertises the room's identity.
  private mutating func checkProof(
    _ fact: RoomFinished, _ room: Room, _ truth: FirmwareFamily, _ flashes: [BluetoothAddress: Flash]
  ) {
    let isUnchanged = fact.outcome == .alreadyProvisioned
    let proofs = truth.proofs(of: room).union(isUnchanged ? [.beaconOnAir] : [])
    let isOnAir = fact.evidence.map { $0.grade != .deviceStatus && $0.grade != .settingsReadBack } ?? true
    guard let evidence = fact.evidence, proofs.contains(evidence.grade),
      evidence.identity == (isOnAir ? room.identity : nil)
    else {
      violate(.proof, "success without evidence", room: room.id, device: fact.address)
      return
    }
    if let own = bound[room.id], evidence.address != own {
      if room.proofAddress != .any {
        violate(.proof, "success by the beacon of \(evidence.address)", room: room.id, device: own)
      } else if refused.contains(room.id) {
        violate(
          .proof, "it refused, and success by the beacon of \(evidence.address)", room: room.id, device: own)
      }
    }
    guard let device = bound[room.id] ?? fact.address, !beginning.unprovable.contains(device),
      !handled.contains(device)
    else { return }
    if evidence.grade == .freshBeaconUnacknowledged {
      // It claims the identity alone; `checkStates` checks each setting.
    } else if !isUnchanged || fact.attempts > 0 {
      if !truth.holds(flashes[device], room) {
        violate(
          .proof, "reported \(fact.outcome), but its device lacks the wanted settings", room: room.id,
          device: device)
      }
    } else if let known = flashes[device].flatMap(truth.identity), known != truth.identity(truth.wanted(room))
    {
      violate(.proof, "reported as wanted, but its identity differs", room: room.id, device: device)
    }
  }

  /// The recorded state of a room must match its device: a device that the run changed must not count as
  /// unchanged, settings reported as written must have arrived, and settings reported as proved must be
  /// stored.
  private mutating func checkTruth(
    _ fact: RoomFinished, _ room: Room, _ truth: FirmwareFamily, _ flashes: [BluetoothAddress: Flash]
  ) {
    guard let address = bound[room.id] else {
      if fact.attempts > 0 { violate(.truth, "tried without a binding", room: room.id) }
      return
    }
    let writes = writes[address] ?? []
    let changes = writes.filter(truth.isChange)
    let isHandled = handled.contains(address)
    if !changes.isEmpty, !isHandled, flashes[address] != beginning.flashes[address] {
      if !Self.isHonest(fact, truth) {
        violate(.truth, "it was changed, but is reported as \(fact.outcome)", room: room.id, device: address)
      }
      for setting in fact.settings where setting.state == .notWritten {
        let name = setting.name.rawValue
        if flashes[address]?.values[name] != beginning.flashes[address]?.values[name] {
          violate(
            .truth, "\(name) was changed, but is reported as not written", room: room.id, device: address)
        }
      }
    }
    // Settings that the firmware determines are received, and never written.
    let reported = fact.settings.filter {
      $0.state.isConfirmed && room.family[$0.name]?.isWritten == true
    }.map(\.name.rawValue)
    if fact.outcome == .alreadyProvisioned {
      if !changes.isEmpty {
        violate(.truth, "it was changed, but is reported as unchanged", room: room.id, device: address)
      }
    } else if truth.oracle?.access.isRead != true, !beginning.unprovable.contains(address) {
      let arrived = Set(writes.flatMap { truth.settings(at: $0.characteristic).map(\.name) })
      if !arrived.isSuperset(of: reported) {
        violate(.truth, "settings are reported as written, but were not", room: room.id, device: address)
      }
    }
    if !isHandled, !room.isRegistered, !beginning.unprovable.contains(address) {
      checkStates(fact, room, truth, flashes[address], address)
    }
  }

  /// A setting that is reported as acknowledged or proved is in the device's flash.
  private mutating func checkStates(
    _ fact: RoomFinished, _ room: Room, _ truth: FirmwareFamily, _ flash: Flash?, _ address: BluetoothAddress
  ) {
    guard let flash else { return }
    let wanted = truth.flash(of: room)
    for setting in fact.settings where setting.state == .acknowledged || setting.state == .proved {
      guard let value = wanted[setting.name.rawValue] else { continue }
      if fact.attempts == 0, beginning.changedSince.contains(address),
        setting.state == .acknowledged || fact.evidence?.run != nil
      {
        continue
      }
      // Acknowledged is the device's own word.
      if setting.name == room.family.countedSetting?.name, setting.state == .acknowledged,
        beginning.keepingOtherNumber.contains(address)
      {
        continue
      }
      if flash.values[setting.name.rawValue] != value {
        violate(
          .truth, "\(setting.name) is reported as \(setting.state.rawValue), but is missing", room: room.id,
          device: address)
      }
    }
  }

  /// Whether an outcome admits that the device may have changed.
  private static func isHonest(_ finished: RoomFinished, _ truth: FirmwareFamily) -> Bool {
    if finished.outcome.isSuccess || finished.outcome == .unconfirmed { return true }
    // What a device keeps that refused, it does not say.
    if finished.reason?.trait == .refusal { return true }
    // It says that nobody knows which settings the device has. A device may complete the command of an earlier run.
    if finished.reason == .settingsUnknown(nil) { return true }
    // Without a save command, each write before the failure has taken effect. The state of each setting says so.
    return truth.oracle?.access.needsSave == true
      ? finished.reason?.code == .wrongIdentity
      : [.failed, .actionRequired, .ambiguous].contains(finished.outcome)
  }

  /// Searches the encoded event, with escapes undone, for the first bytes of each secret.
  private mutating func checkSecrecy(_ line: [UInt8]) {
    let text = line.contains(UInt8(ascii: "\\")) ? line.withoutEscapes : line
    if secrets.contains(where: { text.contains(sequence: $0) }) {
      violate(.secrecy, "a secret is on record")
    }
  }

  // MARK: Complete runs

  /// Takes a completed run, in order of time.
  /// - Parameters:
  ///   - events: the recorded events, and when each became durable.
  ///   - writes: the writes that reached devices, in order.
  ///   - flashes: the present flash of each device.
  package mutating func take(
    _ events: some Sequence<(RunEvent, MonotonicInstant)>, _ writes: some Sequence<WriteRecord>,
    flashes: [BluetoothAddress: Flash]
  ) {
    var lines = JournalLines()
    var rest = Array(writes)[...]
    for (event, instant) in events {
      while let write = rest.first, write.at < instant {
        take(write)
        rest.removeFirst()
      }
      take(event, encoded: lines.line(event), at: instant, flashes: flashes)
    }
    for write in rest { take(write) }
  }

  // MARK: End of a run

  /// The run ended without a kill.
  /// - Parameter connected: the devices that the run tried to connect to.
  package mutating func end(_ result: ApplyResult, connected: Set<BluetoothAddress>) {
    sequence = 0
    if result.rooms.map(\.room) != beginning.rooms.map(\.id) {
      violate(.oneOutcome, "reported other rooms than the selected ones")
    }
    if result.recordFailure == nil,
      finished != Dictionary(uniqueKeysWithValues: result.rooms.map { ($0.room, $0) })
    {
      violate(.oneOutcome, "reported other outcomes than recorded")
    }
    for room in beginning.rooms where room.isRegistered {
      let fact = result.rooms.first { $0.room == room.id }
      let devices = Set([room.address, fact?.address].compactMap(\.self)).filter { device in
        !beginning.rooms.contains { !$0.isRegistered && bound[$0.id] == device }
      }
      if fact?.attempts ?? 0 > 0 || !devices.isDisjoint(with: connected) {
        violate(.registeredUntouched, "it was configured elsewhere, and was connected to", room: room.id)
      }
    }
  }
}

extension [UInt8] {
  /// JSON text without the backslashes before quotation marks and backslashes.
  fileprivate var withoutEscapes: [UInt8] {
    let backslash = UInt8(ascii: "\\")
    var result: [UInt8] = []
    var index = 0
    while index < count {
      let next = index + 1 < count ? self[index + 1] : 0
      if self[index] == backslash, next == backslash || next == UInt8(ascii: "\"") { index += 1 }
      result.append(self[index])
      index += 1
    }
    return result
  }

  fileprivate func contains(sequence: [UInt8]) -> Bool {
    guard let first = sequence.first, sequence.count <= count else { return false }
    for start in 0...(count - sequence.count) where self[start] == first {
      if self[start..<(start + sequence.count)] == sequence[...] { return true }
    }
    return false
  }
}
