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
    checkProof(family, procedure, fields)
    func place(_ key: String) -> SourceRange { fields.entry(key)?.keyRange ?? fields.head }
    if family.lifecycle == .provisioningMode, !family.recognition.contains(where: { $0.state == .waiting }) {
      error(
        .badFamily, "no rule recognises a device in provisioning mode", at: place("recognise"),
        advice: "add one with `state: waiting`, or set `access: any_time`")
    }
    if procedure.readsFirst, family.lifecycle == .provisioningMode {
      error(
        .badFamily, "`read_first` is for devices with `access: any_time`", at: place("read_first"),
        advice: "a device in provisioning mode has no room's settings: leave it out")
    }
    if settings.all.contains(where: { $0.name == .wifiPassword })
      != settings.all.contains(where: { $0.name == .wifiSSID })
    {
      error(.badFamily, "`wifi_ssid` and `wifi_password` are only possible together", at: place("settings"))
    }
  }

  private mutating func checkProof(_ family: DeviceFamily, _ procedure: Procedure, _ fields: Fields) {
    func place(_ key: String) -> SourceRange { fields[key]?.range ?? fields.head }
    switch family.proof {
    case .onAir where family.identity == nil:
      error(
        .badFamily, "a device without `identity` cannot be proved by its beacon", at: place("proof"),
        advice: "describe its `identity`, or choose another `proof`")
    case .status where procedure.status?.saved == nil:
      error(
        .badFamily, "a device whose `status` has no `saved` cannot be proved by it", at: place("proof"),
        advice: "give the value of `saved`, or choose another `proof`")
    case .readBack where !procedure.readsBack:
      error(.badFamily, "nothing is read back", at: place("proof"), advice: "set `read_back: true`")
    default: break
    }
    if procedure.readsBack, procedure.save != nil {
      error(
        .badFamily, "reading back before `save` does not show which settings the device keeps",
        at: place("read_back"),
        advice: "leave `read_back` or `save` out")
    }
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
      if own.count > 1, own.contains(where: \.isSecret) {
        error(
          .badFamily, "a characteristic with a password may hold nothing else", at: written.range,
          advice: "it is neither read nor compared")
      }
      if own.count > 1, !procedure.readsFirst, own.contains(where: { !$0.isRequired }) {
        error(
          .badFamily, "an optional setting needs a characteristic of its own", at: written.range,
          advice: "or `read_first: true`: then the device keeps what it has")
      }
      if [procedure.save?.characteristic, procedure.status?.characteristic].contains(description.uuid) {
        error(.badFamily, "this characteristic is also that of `save` or `status`", at: written.range)
      }
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
