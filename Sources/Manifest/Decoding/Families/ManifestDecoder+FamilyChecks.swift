import Bluetooth
import Model
import Source
import YAML

extension ManifestDecoder {
  /// Reports what contradicts itself in a family.
  mutating func check(
    _ family: DeviceFamily, _ fields: Fields, _ settings: FamilySettings,
    _ characteristics: [WrittenCharacteristic]
  ) {
    guard let procedure = family.procedure else { return }
    checkCharacteristics(family, procedure, settings, characteristics, fields)
    let needsMode = family.lifecycle == .provisioningMode
    func has(_ name: SettingName) -> Bool { settings.all.contains { $0.name == name } }
    func key(_ key: String) -> SourceRange { fields.entry(key)?.keyRange ?? fields.head }
    func value(_ key: String) -> SourceRange { fields[key]?.range ?? fields.head }
    refuse(
      family.proof == .onAir && family.identity == nil, at: value("proof"),
      "a device without `identity` cannot be proved by its beacon",
      "describe its `identity`, or choose another `proof`")
    refuse(
      family.proof == .status && procedure.status?.saved == nil, at: value("proof"),
      "a device whose `status` has no `saved` cannot be proved by it",
      "give the value of `saved`, or choose another `proof`")
    refuse(
      family.proof == .readBack && !procedure.readsBack, at: value("proof"),
      "nothing is read back", "set `read_back: true`")
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

  private mutating func checkCharacteristics(
    _ family: DeviceFamily, _ procedure: Procedure, _ settings: FamilySettings,
    _ characteristics: [WrittenCharacteristic], _ fields: Fields
  ) {
    var taken: [BluetoothUUID: SourceRange] = [:]
    var places: [SettingName: SourceRange] = [:]
    for written in characteristics {
      let description = written.description
      if let first = taken.updateValue(written.range, forKey: description.uuid) {
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
        own.count > 1 && own.contains(where: \.isSecret), at: written.range,
        "a characteristic with a password may hold nothing else", "it is neither read nor compared")
      refuse(
        own.count > 1 && !procedure.readsFirst && own.contains { !$0.isRequired }, at: written.range,
        "an optional setting needs a characteristic of its own",
        "or `read_first: true`: then the device keeps what it has")
      refuse(
        [procedure.save?.characteristic, procedure.status?.characteristic].contains(description.uuid),
        at: written.range, "this characteristic is also that of `save` or `status`")
    }
    for setting in settings.all where setting.isWritten && places[setting.name] == nil {
      error(
        .badFamily, "no characteristic holds this setting", at: settings.places[setting.name] ?? fields.head,
        advice: "add it to `holds`, or remove it")
    }
    if !settings.all.contains(where: { $0.isRequired && $0.isWritten }), let first = characteristics.first {
      error(
        .badFamily, "every setting is optional, so a room may write nothing", at: first.range,
        advice: "remove `optional` from one")
    }
  }
}
