import Model

extension Grammar {
  enum Place {
    case manifest, defaults, floor, group, room, network, passwordSource, host, adapter, table, timeouts,
      beacon
  }

  /// A key with its documentation. Every key that the decoder knows is documented here or is a setting of a
  /// device.
  func key(_ name: String, in place: Place) -> MappingForm.Key {
    let (documentation, value, examples): (String, ValueForm, [String]) =
      switch place {
      case .manifest: manifestKey(name)
      case .room: roomKey(name)
      case .network: networkKey(name)
      case .passwordSource: passwordSourceKey(name)
      case .host: hostKey(name)
      case .adapter: adapterKey(name)
      case .table: tableKey(name)
      case .timeouts: timeoutKey(name)
      case .beacon: beaconKey(name)
      case .defaults, .floor, .group: sharedKey(name)
      }
    return MappingForm.Key(name: name, documentation: documentation, value: value, examples: examples)
  }

  private func manifestKey(_ name: String) -> (String, ValueForm, [String]) {
    switch name {
    case "version": ("The version of the format; optional.", .text(.version), ["1"])
    case "building":
      (
        "The building's name, for people. It is at the top of the reports.",
        .text(.label(ManifestLimits.buildingName)), ["Harbour House"]
      )
    case "id":
      (
        "The building's stable name; made from `building` if absent. Later runs find the record of earlier runs by it: never change it.",
        .text(.slug), ["harbour-house"]
      )
    case "include":
      (
        "Files with further networks under `wifi`, relative to the manifest.",
        oneOrMore(.text(.any)), ["networks.yaml"]
      )
    case "families":
      (
        "Files that describe further kinds of devices (`roboprov schema family`), relative to the manifest.",
        oneOrMore(.text(.any)), ["battery-tag.yaml"]
      )
    case "wifi":
      (
        "The WiFi networks, each under a name of your choice. Rooms use this name.",
        .either([.named([(.network, .mapping(network))]), .nothing]), []
      )
    case "hosts":
      (
        "Other computers whose adapters are used through ssh, each under a name of your choice. They need BlueZ and systemd, and nothing of roboprov.",
        .named([(.host, .mapping(host))]), []
      )
    case "adapters":
      (
        "The adapters, each under its name on the host (hci0), its address, or a name of your choice with its `address`. That of another host: floor-3/hci0.",
        .named([(.hostAdapter, .mapping(hostAdapter)), (.other, .mapping(namedAdapter))]), []
      )
    case "match":
      (
        "How a room without `address` finds its device.",
        .names([
          ("address", "Every room must give its device's address. The safe and usual way."),
          ("any", "It takes any waiting device that no other room claims."),
          ("later", "Its address is read on site."),
        ]), ["address"]
      )
    case "defaults":
      ("Defaults for all rooms. A room can override each.", .either([.mapping(defaults), .nothing]), [])
    case "floors":
      ("The floors, each with its rooms.", .list(of: .mapping(floor), canBeEmpty: false), [])
    default: sharedKey(name)
    }
  }

  /// Keys that several mappings have.
  private func sharedKey(_ name: String) -> (String, ValueForm, [String]) {
    switch name {
    case "profile":
      (
        "The kind of device.",
        .names(families.all.map { ($0.id.rawValue, $0.title) }),
        families.all.prefix(1).map(\.id.rawValue)
      )
    case "wifi":
      (
        "The network that the device joins: its name under `wifi` at the top, an inline network, or `none`.",
        .either([.text(.any), .mapping(network)]), ["none"]
      )
    case "wifi_check":
      (
        "true: a device that can list WiFi networks is written only if it receives its own.",
        .truth, []
      )
    case "proof":
      (
        "Which beacon proves a device.",
        .names([
          (ProofAddress.own.rawValue, "The one from its own address."),
          (
            ProofAddress.any.rawValue,
            "Also one from another address that was not received before: for firmware that changes its address."
          ),
        ]), []
      )
    case "beacon":
      (
        "The beacon that the firmware of the devices sends, if it differs from the factory's. roboprov expects it and never writes it.",
        .mapping(beacon), []
      )
    case "retries": ("Further attempts after the first one failed.", .integer(ManifestLimits.retries), ["2"])
    case "timeouts": ("How long each stage of an attempt may take.", .mapping(timeouts), [])
    case "tags":
      (
        "Names by which rooms can be selected (`--only`, `--skip`): a list, or a text with commas.",
        .either([
          .text(.tags(ManifestLimits.label)),
          .list(of: .text(.label(ManifestLimits.label)), canBeEmpty: true),
        ]), []
      )
    case "floor": ("The floor's name or number.", .text(.label(ManifestLimits.label)), ["3"])
    case "group": ("The group's name, a tag of its rooms.", .text(.label(ManifestLimits.label)), ["Suites"])
    case "groups":
      ("Groups of rooms with common settings.", .list(of: .mapping(group), canBeEmpty: false), [])
    case "rooms": ("The rooms.", .list(of: .mapping(room), canBeEmpty: false), [])
    case "rooms_from":
      (
        "Tables of rooms (CSV: comma, semicolon or tab), relative to the manifest. The header names the keys of a room.",
        .either([
          .text(.any), .mapping(table),
          .list(of: .either([.text(.any), .mapping(table)]), canBeEmpty: false),
        ]), ["rooms.csv"]
      )
    default: preconditionFailure("the key \(name) has no description")
    }
  }

  private func roomKey(_ name: String) -> (String, ValueForm, [String]) {
    switch name {
    case "room":
      (
        "The room's name, written to devices that have one. A range gives several rooms: {301..332}, {301..331..2}, {301..312,314}, {A..F}.",
        .text(.labelOrRange(ManifestLimits.label)), ["Room 301", "Room {301..332}"]
      )
    case "id":
      (
        "The room's stable name, the key of its record; made from `room` if absent. Give one if you may rename the room later.",
        .text(.slug), ["room-301"]
      )
    case "address":
      (
        "The Bluetooth address on the device's label. Required unless `match`, `near` or `register` says otherwise.",
        .text(.deviceAddress), ["C4:7C:8D:00:00:01"]
      )
    case "device":
      (
        "The name that the device advertises while it waits, instead of its address. The record keeps the address.",
        .text(.label(DeviceReference.nameBytes)), ["PROV_A1B2C3"]
      )
    case "near":
      (
        "The adapter that is in this room: hciN, an address, or a name under `adapters`; floor-3/hci0 or floor-3 for those of a host. The room gets the device nearest to it.",
        .text(.any), ["hci1"]
      )
    case "register":
      (
        "true: the device was configured elsewhere. roboprov looks for it on air and never writes it.",
        .truth, []
      )
    default: sharedKey(name)
    }
  }

  private func networkKey(_ name: String) -> (String, ValueForm, [String]) {
    func setting(_ name: SettingName) -> ValueForm {
      families.setting(name).map { .setting($0) } ?? .text(.any)
    }
    return switch name {
    case "ssid": ("The network's name, as phones show it: 1 to 32 bytes.", setting(.wifiSSID), [])
    case "password":
      (
        "The network's password: its source, or its text of 8 to 63 bytes or 64 hexadecimal digits. Absent or empty: an open network.",
        .either([setting(.wifiPassword), .mapping(passwordSource)]), []
      )
    default: preconditionFailure("the key \(name) has no description")
    }
  }

  private func beaconKey(_ name: String) -> (String, ValueForm, [String]) {
    let setting: SettingName = name == "uuid" ? .beaconUUID : .beaconMajor
    let description = families.setting(setting)
    return (
      description?.documentation ?? "No device family takes it.",
      description.map { .setting($0) } ?? .text(.any), []
    )
  }

  private func passwordSourceKey(_ name: String) -> (String, ValueForm, [String]) {
    switch name {
    case "env": ("The environment variable with the password.", .text(.environmentName), ["WIFI_PASSWORD"])
    case "file": ("The file with the password, relative to this one.", .text(.something), ["./wifi.txt"])
    case "command":
      ("The program that prints the password, with its arguments. No shell reads them.", .command, [])
    case "prompt": ("true: roboprov prompts at the terminal.", .affirmation, [])
    case "labels":
      (
        "The file into which `roboprov capture` and `walk` write what labels say, relative to this one.",
        .text(.something), ["./labels.json"]
      )
    default: preconditionFailure("the key \(name) has no description")
    }
  }

  private func hostKey(_ name: String) -> (String, ValueForm, [String]) {
    switch name {
    case "ssh":
      (
        "The computer, as ssh(1) takes it; ~/.ssh/config applies. ssh must reach it without a question.",
        .text(.matching("^[!-,.-~][!-~]{0,254}$")), ["pi@gw3.example"]
      )
    case "adapters":
      ("Its adapters to use; all without it.", oneOrMore(.text(.adapter)), ["hci0"])
    case "floors":
      (
        "The floors where it stands. Adapters elsewhere leave the devices of these rooms to it, while it receives them.",
        oneOrMore(.text(.label(ManifestLimits.label))), ["3"]
      )
    default: preconditionFailure("the key \(name) has no description")
    }
  }

  private func adapterKey(_ name: String) -> (String, ValueForm, [String]) {
    switch name {
    case "address":
      ("The adapter's address (`bluetoothctl list`).", .text(.adapterAddress), ["00:1A:7D:DA:71:13"])
    case "slots": ("The number of connections that it holds at once.", .integer(ManifestLimits.slots), ["5"])
    case "place": ("Its place, for people.", .text(.label(ManifestLimits.label)), ["by the lift"])
    default: preconditionFailure("the key \(name) has no description")
    }
  }

  private func tableKey(_ name: String) -> (String, ValueForm, [String]) {
    switch name {
    case "file": ("The file, relative to the manifest.", .text(.any), ["rooms.csv"])
    case "columns":
      ("Which column gives which key of a room, where the headers have other names.", .mapping(columns), [])
    case "ignore": ("Columns to ignore.", oneOrMore(.text(.any)), [])
    default: preconditionFailure("the key \(name) has no description")
    }
  }

  private func timeoutKey(_ name: String) -> (String, ValueForm, [String]) {
    guard let stage = Stage(rawValue: name) else { preconditionFailure("the key \(name) has no description") }
    return (
      "How long \(stage.task) may take: a whole number with ms, s or m.",
      .timeout(through: ManifestLimits.longestTimeout), ["15s"]
    )
  }

  private func oneOrMore(_ form: ValueForm) -> ValueForm {
    .either([form, .list(of: form, canBeEmpty: true)])
  }
}

extension Stage {
  fileprivate var task: String {
    switch self {
    case .search: "finding the device on air"
    case .connect: "connecting"
    case .discover: "finding the device's service"
    case .ready: "waiting until the device is ready"
    case .read: "each read"
    case .write: "each write"
    case .save: "saving, and the device's response"
    case .verify: "proving the device"
    }
  }
}
