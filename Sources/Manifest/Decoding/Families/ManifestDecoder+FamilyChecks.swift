import Bluetooth
import Model
import Source
import YAML

extension ManifestDecoder {
  /// Reports what contradicts itself in a family.
  mutating func check(
    _ family: DeviceFamily, _ fields: Fields, _ settings: FamilySettings,
    _ characteristics: [WrittenCharacteristic], _ unlock: SourceRange?
  ) {
    guard let procedure = family.procedure else { return }
    let before = errorCount
    checkCharacteristics(family, procedure, settings, characteristics, fields)
    if let unlock { checkUnlock(procedure, at: unlock) }
    // What follows speaks of all characteristics.
    guard errorCount == before else { return }
    let needsMode = family.lifecycle == .provisioningMode
    func has(_ name: SettingName) -> Bool { settings.all.contains { $0.name == name } }
    func key(_ key: String) -> SourceRange { fields.entry(key)?.keyRange ?? fields.head }
    func value(_ key: String) -> SourceRange { fields[key]?.range ?? fields.head }
    refuse(
      family.proof == .onAir && family.identity == nil, at: value("proof"),
      "a device without `identity` cannot be proved by its beacon",
      "describe its `identity`, or choose another `proof`")
    refuse(
      family.proof == .status && procedure.status?.saved.isEmpty != false, at: value("proof"),
      "a device whose `status` has no `saved` cannot be proved by it",
      "give the value of `saved`, or choose another `proof`")
    refuse(
      family.proof == .readBack && !procedure.readsBack, at: value("proof"),
      "nothing is read back", "set `read_back: true`")
    let readable = Set(family.written.filter(family.isReadable).flatMap(\.settings))
    refuse(
      family.proof == .readBack && procedure.readsBack && readable.isEmpty, at: value("proof"),
      "nothing can be read back", "no secret and no command is read: choose another `proof`")
    refuse(
      procedure.readsFirst && !family.distinguishingSettings.allSatisfy { readable.contains($0.name) },
      at: key("read_first"), "what tells the devices apart cannot be read",
      "no secret, what shares a characteristic with one, and no command is read: leave `read_first` out")
    refuse(
      procedure.readsBack && procedure.save != nil, at: value("read_back"),
      "reading back before `save` does not show which settings the device keeps",
      "leave `read_back` or `save` out")
    refuse(
      needsMode && !family.recognition.contains { $0.state == .waiting }, at: key("recognise"),
      "no rule recognises a device in provisioning mode",
      "add one with `state: waiting`, or set `access: any_time`")
    refuse(
      procedure.readsFirst && needsMode, at: key("read_first"),
      "`read_first` is for devices with `access: any_time`",
      "a device in provisioning mode has no room's settings: leave it out")
    refuse(
      has(.wifiPassword) != has(.wifiSSID), at: key("settings"),
      "`wifi_ssid` and `wifi_password` are only possible together")
  }

  private mutating func refuse(
    _ isWrong: Bool, at range: SourceRange, _ message: String, _ advice: String? = nil
  ) {
    if isWrong { error(.badFamily, message, at: range, advice: advice) }
  }

  private mutating func checkUnlock(_ procedure: Procedure, at range: SourceRange) {
    guard let unlock = procedure.unlock else { return }
    refuse(
      unlock.isOnce && procedure.save != nil, at: range,
      "`once` without effect: nothing is kept before `save`",
      "leave `once` or `save` out")
    refuse(
      unlock.code.answer != nil && procedure.status == nil, at: range, "an `answer` without `status`",
      "describe the characteristic by which it answers as `status`")
    refuse(
      [procedure.status?.characteristic, procedure.save?.characteristic].contains(unlock.uuid)
        && !unlock.code.isCommand,
      at: range, "this characteristic is also that of `save` or `status`")
  }

  private mutating func checkCharacteristics(
    _ family: DeviceFamily, _ procedure: Procedure, _ settings: FamilySettings,
    _ characteristics: [WrittenCharacteristic], _ fields: Fields
  ) {
    var taken: [BluetoothUUID: (SourceRange, isCommand: Bool)] = [:]
    var places: [SettingName: SourceRange] = [:]
    for written in characteristics {
      let description = written.description
      let isCommand = description.isCommand
      if let (first, isOther) = taken.updateValue((written.range, isCommand), forKey: description.uuid),
        !isCommand || !isOther
      {
        error(
          .badFamily, "this characteristic is described twice", at: written.range,
          notes: [.init("the first time", at: first)], advice: "put all its settings into one `holds`")
      }
      for name in description.settings {
        guard let first = places.updateValue(written.range, forKey: name) else { continue }
        error(
          .badFamily, "two characteristics hold `\(name)`", at: written.range,
          notes: [.init("the first", at: first)], advice: "leave one of them out")
      }
      let own = description.settings.compactMap { family[$0] }
      refuse(
        own.isEmpty, at: written.range, "a characteristic without a setting",
        "what is always the same is written by `unlock` or `save`")
      refuse(
        description.answer != nil && procedure.status == nil, at: written.range,
        "an `answer` without `status`", "describe the characteristic by which it answers as `status`")
      refuse(
        own.count > 1 && !(procedure.readsFirst && family.isReadable(description))
          && own.contains { !$0.isRequired }, at: written.range,
        "an optional setting needs a characteristic of its own",
        "or `read_first: true`: then the device keeps what it has")
      refuse(
        procedure.status?.characteristic == description.uuid
          || !isCommand && procedure.save?.characteristic == description.uuid
          || !isCommand && procedure.unlock?.uuid == description.uuid,
        at: written.range, "this characteristic is also that of `save` or `status`")
    }
    for setting in settings.all
    where setting.isWritten && places[setting.name] == nil && family.settings.contains(setting) {
      error(
        .badFamily, "no characteristic holds this setting", at: settings.places[setting.name] ?? fields.head,
        advice: "add it to `holds`, or remove it")
    }
    if !family.settings.contains(where: { $0.isRequired && $0.isWritten }), let first = characteristics.first
    {
      error(
        .badFamily, "every setting is optional, so a room may write nothing", at: first.range,
        advice: "remove `optional` from one")
    }
  }
}
