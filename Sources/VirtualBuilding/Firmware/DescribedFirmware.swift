package import Bluetooth
package import Model

/// The firmware of a device of a described family, made from the same description as its GATT session: so that a
/// rehearsal works at once. It shows how a run goes, not that the description is true of real devices.
package struct DescribedFirmware: Firmware {
  private enum Life: Hashable {
    case waiting
    case connected
    /// Saved. It does not advertise until the restart is complete.
    case restarting
    case atWork
  }

  private let family: DeviceFamily
  private let procedure: Procedure
  private let conditions: FirmwareConditions
  package private(set) var flash: Flash
  private var life = Life.waiting
  /// Written but not saved.
  private var written: [String: [UInt8]] = [:]
  private var status: [UInt8] = []
  private var isLocked = true
  private var faults = FaultsInForce()

  private static let readyAfter = Duration.milliseconds(150)
  private static let workTakes = Duration.milliseconds(100)
  private static let leavesAfter = Duration.milliseconds(40)
  private static let restartAfter = Duration.milliseconds(300)

  private static let ready = FirmwareTimer("ready")
  private static let done = FirmwareTimer("done")
  private static let leave = FirmwareTimer("leave")
  private static let restart = FirmwareTimer("restart")

  init(_ family: DeviceFamily, _ procedure: Procedure, _ conditions: FirmwareConditions) {
    (self.family, self.procedure, self.conditions) = (family, procedure, conditions)
    var values = Self.factory(of: family, procedure)
    values.merge(conditions.held) { $1 }
    flash = Flash(values: values, isSaved: !conditions.held.isEmpty)
  }

  /// The values of a new device: those of the description, else the least that can be encoded.
  private static func factory(of family: DeviceFamily, _ procedure: Procedure) -> [String: [UInt8]] {
    guard procedure.readsFirst else { return [:] }
    var values: [String: [UInt8]] = [:]
    for field in family.written.flatMap(\.fields) {
      guard case .value(let name, let encoding) = field, let setting = family[name] else { continue }
      let value = procedure.factory[name] ?? setting.kind.least
      values[name.rawValue] = setting.encode(value, encoding)
    }
    return values
  }

  private var isRewritable: Bool { family.lifecycle.isRewritable }

  // MARK: On air

  package var advertising: AdvertisingPayload? {
    switch life {
    case .restarting: nil
    case .connected: isRewritable ? payload : nil
    case .waiting, .atWork: payload
    }
  }

  /// What the first rule for its state describes. A device in neither state of the description is only present.
  private var payload: AdvertisingPayload? {
    let states: [RecognitionRule.State] =
      flash.isSaved ? [.configured, .present] : [.waiting, .present]
    let rule = states.lazy.compactMap { state in family.recognition.first { $0.state == state } }.first
    guard let rule else { return nil }
    var payload = AdvertisingPayload(isConnectable: isRewritable || !flash.isSaved)
    for condition in rule.conditions { add(condition, to: &payload) }
    if flash.isSaved, family.identity != nil { addIdentity(to: &payload) }
    return payload
  }

  private func add(_ condition: RecognitionRule.Condition, to payload: inout AdvertisingPayload) {
    switch condition {
    case .name(let name), .namePrefix(let name): payload.localName = payload.localName ?? name
    case .service(let uuid): payload.serviceUUIDs.append(uuid)
    case .serviceData(let uuid, let bytes): payload.serviceData[uuid] = payload.serviceData[uuid] ?? bytes
    case .manufacturerData(let company, let bytes):
      payload.manufacturerData[company] = payload.manufacturerData[company] ?? bytes
    case .identity, .identityOf, .expectedIdentity: addIdentity(to: &payload)
    case .noIdentity: break
    }
  }

  private func addIdentity(to payload: inout AdvertisingPayload) {
    guard let identity = family.identity, let parts = identityBytes(flash) else { return }
    let data = identity.prefix + parts + [UInt8](repeating: 0xC5, count: identity.trailing)
    switch identity.place {
    case .manufacturerData(let company): payload.manufacturerData[company] = data
    case .serviceData(let uuid): payload.serviceData[uuid] = data
    }
  }

  private func identityBytes(_ flash: Flash) -> [UInt8]? {
    family.identityBytes(flash, beacon: conditions.beacon)
  }

  // MARK: Attributes

  package var services: [ServiceDefinition] {
    let isReadable = procedure.readsFirst || procedure.readsBack
    var all: [(service: BluetoothUUID?, CharacteristicDefinition)] = []
    func add(_ uuid: BluetoothUUID, of service: BluetoothUUID?, _ access: AttributeAccess) {
      guard let index = all.firstIndex(where: { $0.1.uuid == uuid }) else {
        all.append((service, .init(uuid, access)))
        return
      }
      all[index].1.properties.formUnion(access)
    }
    for description in family.written + [procedure.unlock?.code].compactMap(\.self) {
      add(description.uuid, of: description.service, description.isConfirmed ? .write : .writeWithoutResponse)
      if isReadable, family.isReadable(description) { add(description.uuid, of: description.service, .read) }
    }
    if let save = procedure.save { add(save.characteristic, of: save.service, .write) }
    if let status = procedure.status { add(status.characteristic, of: status.service, [.read, .notify]) }
    for index in all.indices { all[index].1.security = security }
    return family.services.map { service in
      .init(service, all.filter { $0.service ?? family.service == service }.map { $0.1 })
    }
  }

  private var security: LinkSecurity {
    switch family.pairing {
    case .unneeded, .ifAsked: .plain
    case .justWorks: .encrypted
    case .passkey: .authenticated
    }
  }

  package var pairing: PairingRules? {
    switch family.pairing {
    case .unneeded: nil
    case .ifAsked, .justWorks: PairingRules()
    case .passkey: PairingRules(passkey: conditions.label["passkey"].flatMap { Passkey($0) }?.number ?? 0)
    }
  }

  package mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .started:
      (life, written, status) = (flash.isSaved ? .atWork : .waiting, [:], [])
      return []
    case .connected(let faults): return connected(faults)
    case .disconnected:
      if life == .connected { life = flash.isSaved ? .atWork : .waiting }
      return []
    case .read(let request, let characteristic): return read(characteristic, request)
    case .write(let request, let characteristic, let value): return write(value, characteristic, request)
    case .subscribe(let request, _, _):
      if faults.contains(.drops(in: .subscribe)) { return [.loseLink] }
      return [
        faults.contains(.refusesSubscription)
          ? .refuse(request, ATTCode.writeNotPermitted) : .answer(request, [])
      ]
    case .timer(let timer): return timerRanOut(timer, &generator)
    case .button: return buttonPressed()
    }
  }

  private mutating func connected(_ faults: [Fault]) -> [FirmwareEffect] {
    (self.faults, life, written, isLocked) = (FaultsInForce(faults), .connected, [:], true)
    // A device that works on keeps its last status.
    if !isRewritable { status = [] }
    let isReady = procedure.status?.ready != nil && !faults.contains(.noReady)
    return isReady ? [.setTimer(Self.ready, Self.readyAfter)] : []
  }

  /// Provisioning mode; of a device that can always be written, the factory's settings.
  private mutating func buttonPressed() -> [FirmwareEffect] {
    flash.isSaved = false
    if isRewritable { flash.values = Self.factory(of: family, procedure) }
    life = .restarting
    return [.restart(takes: conditions.radio.restart.lowerBound)]
  }

  private mutating func timerRanOut(
    _ timer: FirmwareTimer, _ generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch timer {
    case Self.ready where life == .connected: return say(procedure.status?.ready.map { [$0] } ?? [])
    case Self.done where life == .connected: return finish()
    case Self.leave where life == .connected: return [.disconnect]
    case Self.restart where life == .restarting:
      let isGone = faults.contains(.neverReturns)
      return [
        .disconnect, .restart(takes: isGone ? nil : generator.duration(in: conditions.radio.restart)),
      ]
    default: return []
    }
  }

  private func read(_ characteristic: BluetoothUUID, _ request: RequestID) -> [FirmwareEffect] {
    if characteristic == procedure.status?.characteristic { return [.answer(request, status)] }
    guard procedure.readsFirst || procedure.readsBack,
      let description = family.characteristic(characteristic), family.isReadable(description)
    else { return [.refuse(request, ATTCode.readNotPermitted)] }
    if procedure.unlock?.isOnce == false, isLocked {
      return [.refuse(request, ATTCode.insufficientAuthorization)]
    }
    let held = procedure.save == nil ? flash.values : flash.values.merging(written) { $1 }
    return [.answer(request, description.value { name, _ in held[name.rawValue] ?? [] } ?? [])]
  }

  // MARK: Writes

  private mutating func write(
    _ value: [UInt8], _ characteristic: BluetoothUUID, _ request: RequestID?
  ) -> [FirmwareEffect] {
    if let code = faults.rejection(of: characteristic) {
      return request.map { [.refuse($0, code)] } ?? []
    }
    let confirmed: [FirmwareEffect] = request.map { [.answer($0, [])] } ?? []
    if let save = procedure.save, save.characteristic == characteristic,
      value == save.value || !family.written.contains(where: { $0.uuid == characteristic })
    {
      if faults.contains(.drops(in: .save)) { return [.loseLink] }
      guard value == save.value else { return confirmed + refuse("unknown command") }
      return confirmed + (isComplete ? [.setTimer(Self.done, Self.workTakes)] : refuse("incomplete"))
    }
    func reject(_ code: UInt8) -> [FirmwareEffect] { request.map { [.refuse($0, code)] } ?? [] }
    if let unlock = procedure.unlock, unlock.uuid == characteristic, let code = unlock.code.parts(of: value) {
      guard code.allSatisfy({ isOnLabel($0.0, $0.1, $0.2) }) else {
        return reject(ATTCode.insufficientAuthorization)
      }
      isLocked = false
      return confirmed + say(unlock.code.answer.map { [$0] } ?? [])
    }
    if procedure.unlock != nil, isLocked { return reject(ATTCode.insufficientAuthorization) }
    let described = family.written.lazy.filter { $0.uuid == characteristic }.compactMap { description in
      description.parts(of: value).map { (description, $0) }
    }
    guard let (description, parts) = described.first else { return reject(ATTCode.invalidLength) }
    let fate = faults.nextSetting().fate
    if fate == .lost { return [.loseLink] }
    if !faults.contains(.own(.keepsOld(characteristic))) { take(parts, characteristic) }
    if fate == .takenAndLost { return [.loseLink] }
    return confirmed + say(description.answer.map { [$0] } ?? [])
      + (procedure.save == nil && isComplete ? [.setTimer(Self.done, Self.workTakes)] : [])
  }

  /// Whether a part of a code is what the label has; without a label every code opens.
  private func isOnLabel(_ name: SettingName, _ encoding: WireEncoding, _ bytes: ArraySlice<UInt8>) -> Bool {
    guard let text = conditions.label[name.rawValue], let setting = family[name],
      let value = setting.value(text)
    else { return true }
    return setting.encode(value, encoding) == Array(bytes)
  }

  private mutating func take(
    _ parts: [(SettingName, WireEncoding, ArraySlice<UInt8>)], _ characteristic: BluetoothUUID
  ) {
    let isCorrupted = faults.contains(.own(.storesWrong(characteristic)))
    for (name, _, bytes) in parts {
      let bytes = Array(bytes)
      written[name.rawValue] = isCorrupted ? bytes.dropLast() + bytes.suffix(1).map { $0 ^ 1 } : bytes
    }
    if procedure.save == nil, isRewritable {
      flash.values.merge(written) { $1 }
      flash.isSaved = true
    }
  }

  /// Whether every required setting was written since the connection.
  private var isComplete: Bool {
    let held = procedure.readsFirst ? flash.values.merging(written) { $1 } : written
    return family.settings.allSatisfy { !$0.isRequired || !$0.isWritten || held[$0.name.rawValue] != nil }
  }

  /// Keeps what was written, reports it, and leaves if devices of its family do.
  private mutating func finish() -> [FirmwareEffect] {
    for case .errorOnSave(let text) in faults.all {
      return refuse(text) + (family.proof.isSelfDisconnect ? [.setTimer(Self.leave, Self.leavesAfter)] : [])
    }
    flash.values.merge(written) { $1 }
    flash.isSaved = true
    var effects = faults.contains(.noSaved) ? [] : say(procedure.status?.saved ?? [])
    if !isRewritable {
      life = .restarting
      effects.append(
        .setTimer(Self.restart, family.proof.isSelfDisconnect ? Self.leavesAfter : Self.restartAfter))
    } else if family.proof.isSelfDisconnect, !faults.contains(.noSaved) {
      effects.append(.setTimer(Self.leave, Self.leavesAfter))
    }
    return effects
  }

  private mutating func refuse(_ text: String) -> [FirmwareEffect] {
    switch procedure.status?.refusals.first {
    case .bytes(let prefix)?: notify(prefix + Array(text.utf8))
    case let pattern?: say([pattern])
    case nil: []
    }
  }

  /// Reports these states, one after the other.
  private mutating func say(_ patterns: [StatusPattern]) -> [FirmwareEffect] {
    var effects: [FirmwareEffect] = []
    for pattern in patterns {
      let held = flash.values.merging(written) { $1 }
      effects += notify(
        pattern.example { name in
          let field = family.written.flatMap(\.fields).first { $0.setting == name }
          guard let encoding = field?.encoding, let bytes = held[name.rawValue] else { return nil }
          return family[name]?.decode(bytes[...], encoding)?.shown ?? String(decoding: bytes, as: UTF8.self)
        })
    }
    return effects
  }

  private mutating func notify(_ value: [UInt8]) -> [FirmwareEffect] {
    guard let uuid = procedure.status?.characteristic else { return [] }
    status = value
    return [.notify(uuid, value)]
  }
}

extension StatusPattern {
  /// A status with this meaning.
  fileprivate func example(_ held: (SettingName) -> String?) -> [UInt8] {
    switch self {
    case .bytes(let bytes): return bytes
    case .message(let expected):
      return Self.json(
        expected.map { expected in
          switch expected.value {
          case .text(let text): (expected.path[...], text)
          case .setting(let name): (expected.path[...], held(name) ?? "")
          }
        })
    }
  }

  private static func json(_ values: [(path: ArraySlice<String>, text: String)]) -> [UInt8] {
    var names: [String] = []
    for value in values { if let name = value.path.first, !names.contains(name) { names.append(name) } }
    let members = names.map { name -> [UInt8] in
      let own = values.filter { $0.path.first == name }.map { ($0.path.dropFirst(), $0.text) }
      let isObject = own.contains { !$0.0.isEmpty }
      return JSONMessage.quoted(name) + [UInt8(ascii: ":")]
        + (isObject ? json(own) : JSONMessage.quoted(own[0].1))
    }
    return [UInt8(ascii: "{")] + members.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")]
  }
}

extension DeviceFamily {
  /// The parts of the identity as sent; nil if one is missing.
  fileprivate func identityBytes(_ flash: Flash, beacon: BuiltInBeacon? = nil) -> [UInt8]? {
    guard let identity else { return nil }
    var bytes: [UInt8] = []
    for part in identity.parts {
      guard let setting = self[part.setting] else { return nil }
      let field = written.flatMap(\.fields).first { $0.setting == part.setting }
      let held = field.flatMap { field in
        flash.values[part.setting.rawValue].flatMap { bytes in
          field.encoding.flatMap { setting.decode(bytes[...], $0) }
        }
      }
      let builtIn: SettingValue? =
        switch part.setting {
        case .beaconUUID: beacon?.uuid.map { .uuid($0) }
        case .beaconMajor: beacon?.major.map { .integer(Int($0)) }
        default: nil
        }
      guard let value = held ?? builtIn ?? part.factory, let encoded = setting.encode(value, part.encoding)
      else { return nil }
      bytes += encoded
    }
    return bytes
  }
}

extension FirmwareFamily {
  /// The virtual devices of a family whose GATT session is data.
  package init(described family: DeviceFamily) {
    guard let procedure = family.procedure else {
      preconditionFailure("the family \(family.id) has no procedure")
    }
    var faults: [FaultKind] = []
    if let status = procedure.status {
      if status.ready != nil { faults.append(.init("no_ready", .noReady)) }
      if !status.saved.isEmpty { faults.append(.init("no_saved", .noSaved)) }
      faults.append(.init("refuses_subscription", .refusesSubscription))
      if !status.refusals.isEmpty {
        faults.append(.init("error_on_save", text: { .errorOnSave($0) }))
      }
    }
    if !family.lifecycle.isRewritable { faults.append(.init("never_returns", .neverReturns)) }
    if procedure.readsBack {
      faults.append(.init("keeps_old", ofSetting: { .keepsOld($0) }))
      faults.append(.init("stores_wrong", ofSetting: { .storesWrong($0) }))
    }
    self.init(
      name: family.id.rawValue, settings: family.firmwareSettings,
      dropStages: [.connect, .discover, .write, .confirm] + (procedure.status == nil ? [] : [.subscribe])
        + (procedure.save == nil ? [] : [.save]),
      faults: faults, hasBuiltInBeacon: family.settings.contains { !$0.isWritten },
      label: family.access.map(\.name.rawValue),
      oracle: family.oracle(procedure)
    ) { DescribedFirmware(family, procedure, $0) }
  }
}

extension DeviceFamily {
  fileprivate var firmwareSettings: [FirmwareSetting] {
    written.flatMap { description in
      description.fields.compactMap { field -> FirmwareSetting? in
        guard case .value(let name, let encoding) = field, let setting = self[name] else { return nil }
        let isCounted = setting.name == countedSetting?.name && procedure?.readsFirst == false
        return FirmwareSetting(
          setting.name.rawValue, description.uuid, "a value of \(setting.title)", isAlwaysHeld: isCounted
        ) { text in
          guard let value = setting.value(text), setting.violation(of: value) == nil else { return nil }
          return setting.encode(value, encoding)
        }
      }
    }
  }

  /// What is right for its devices, by the description alone.
  fileprivate func oracle(_ procedure: Procedure) -> FirmwareOracle {
    let proofs: Set<Evidence.Grade> =
      switch proof {
      case .onAir: lifecycle.isRewritable ? [.freshBeacon] : [.freshBeacon, .freshBeaconUnacknowledged]
      case .status: [.deviceStatus]
      case .readBack: [.settingsReadBack]
      case .selfDisconnect: [.selfDisconnect]
      }
    let access: FirmwareOracle.Access =
      if !lifecycle.isRewritable, let save = procedure.save {
        .provisioningMode(save: save.characteristic)
      } else {
        !procedure.readsFirst
          ? .unreadable : written.allSatisfy(isReadable) ? .rewritable : .partlyReadable
      }
    return FirmwareOracle(
      access, proofs: proofs,
      identity: { flash in
        guard flash.isSaved else { return nil }
        let isFactory =
          !procedure.factory.isEmpty
          && procedure.factory.allSatisfy { name, value in
            let field = self.written.flatMap(\.fields).first { $0.setting == name }
            return field?.encoding.flatMap { self[name]?.encode(value, $0) } == flash.values[name.rawValue]
          }
        return isFactory ? nil : self.identityBytes(flash)
      },
      isHarmless: { write in
        // A code that the device forgets is a change.
        procedure.unlock.map { !$0.isOnce && $0.uuid == write.characteristic } ?? false
      },
      isCommand: { write, room in
        if write.characteristic == procedure.save?.characteristic, write.value == procedure.save?.value {
          return true
        }
        // Settings between other bytes; any others are compared one by one.
        let packets = self.written.filter { $0.fields.contains { $0.setting == nil } || $0.isCommand }
        let values = room.settings.merging(room.access) { $1 }
        return (packets + [procedure.unlock?.code].compactMap(\.self)).contains {
          $0.uuid == write.characteristic && self.encode($0, values) == write.value
        }
      })
  }
}
