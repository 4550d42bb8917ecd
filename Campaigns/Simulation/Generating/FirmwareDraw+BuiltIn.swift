import Bluetooth
import Model
import VirtualBuilding

extension FirmwareDraw {
  /// Those of the built-in families, by name.
  package static let builtIn: [String: FirmwareDraw] = [
    "robo-sensor": roboSensor, "iot-design-shop": iotDesignShop, "firefly": firefly,
    "improv-wifi": improvWiFi,
    "esp-idf": espIDF, "shelly": shelly,
  ]

  private static let roboSensor = FirmwareDraw(
    number: "minor",
    faults: { secret in
      [
        .drops(in: .subscribe), .drops(in: .write(2)), .drops(in: .confirm(2)), .drops(in: .save),
        .rejectsWrite(to: RoboSensorGATT.minor, code: 0x80), .noReady, .refusesSubscription,
        .staleError("left over"), .errorAfterFirstWrite("flash busy"), .errorOnSave("flash worn out"),
        .errorOnSave("cannot join with \(secret)"),
        .savesOnlyWithSSID, .noSaved, .restartsBeforeConfirming(saved: true),
        .restartsBeforeConfirming(saved: false), .returnsWithMinor(7777), .neverReturns, .withoutWiFiScan,
      ]
    },
    more: { number, room, sensor, faultiness, origin in
      drawMove(number, &room, &sensor, faultiness, origin)
      drawNotKept(number, &sensor, faultiness, origin)
    }
  ) { number, site, chance in
    var settings: [SettingName: SettingValue] = [
      .roomName: .text("Room \(number)"), .minor: .integer(number),
    ]
    if site.hasWiFi {
      let index = Int.random(in: 0...1, using: &chance)
      settings[.wifiSSID] = .text(site.ssids[index])
      settings[.wifiPassword] = .secret(Secret(site.passwords[index]))
    }
    return settings
  }

  /// A sensor that changes its address after `SAVE`, whether or not the manifest permits it.
  private static func drawMove(
    _ number: Int, _ room: inout Room, _ sensor: inout SensorScenario, _ faultiness: Double,
    _ origin: SeededGenerator
  ) {
    var chance = origin.split("move/\(number)")
    if chance.chance(0.15) { room.proofAddress = .any }
    guard chance.chance(faultiness / 4) else { return }
    let other = BluetoothAddress(rawValue: sensor.address.rawValue + 0x10_0000)
    let fault = chance.chance(0.5) ? Fault.returnsFrom(other) : .refusesForStranger("not now", other)
    sensor.faults = [ScheduledFault(fault, attempts: chance.chance(0.5) ? 1 : nil)]
  }

  /// A sensor that leaves provisioning mode with the settings, or the WiFi alone, that it held before.
  private static func drawNotKept(
    _ number: Int, _ sensor: inout SensorScenario, _ faultiness: Double, _ origin: SeededGenerator
  ) {
    var chance = origin.split("not_kept/\(number)")
    guard chance.chance(faultiness / 3) else { return }
    let answers: [Fault.SaveAnswer] = [.error("flash write failed"), .attError(0x80), .silence]
    let answer = answers.randomElement(using: &chance) ?? .silence
    let fault = Fault.saveNotKept(answer, wifiOnly: chance.chance(0.4))
    sensor.faults = [
      ScheduledFault(fault, attempts: chance.chance(0.4) ? Int.random(in: 1...3, using: &chance) : nil)
    ]
  }

  private static let iotDesignShop = FirmwareDraw(
    number: "minor", usual: ["power": "medium", "interval": "500ms"],
    faults: { _ in
      let registers = [
        IoTDesignShopGATT.beaconUUID, IoTDesignShopGATT.beaconID, IoTDesignShopGATT.transmission,
      ]
      return [.drops(in: .write(2)), .drops(in: .confirm(2)), .own(.oldBeacon)]
        + registers.flatMap {
          [.rejectsWrite(to: $0, code: 0x80), .own(.keepsOld($0)), .own(.storesWrong($0))]
        }
    }
  ) { number, site, chance in
    var settings: [SettingName: SettingValue] = [
      .uuid: .uuid(site.uuid), .major: .integer(site.major), .minor: .integer(number),
    ]
    if chance.chance(0.7) {
      settings["power"] = .text(["low", "medium", "high"].randomElement(using: &chance) ?? "low")
      let interval = chance.chance(0.8) ? 100...1000 : 1000...3000
      settings["interval"] = .duration(.milliseconds(Int.random(in: interval, using: &chance) / 5 * 5))
    }
    return settings
  }

  private static let firefly = FirmwareDraw(
    faults: { _ in [.own(.staysConnected), .own(.diesWhenConnected), .own(.dropsBeforeWrite)] }
  ) { number, _, chance in
    [
      "control": .integer(number % 256), "value": .integer(Int.random(in: 0...255, using: &chance)),
      "range": .integer(200),
    ]
  }

  private static let improvWiFi = FirmwareDraw(faults: { _ in drawn(of: .improvWiFi) }) { _, site, _ in
    [.wifiSSID: .text(site.ssids[0]), .wifiPassword: .secret(Secret(site.passwords[0]))]
  }

  private static let espIDF = FirmwareDraw(
    faults: { _ in
      drawn(of: .espIDF) + [.drops(in: .write(1)), .drops(in: .confirm(1)), .drops(in: .save)]
    },
    more: { number, room, sensor, faultiness, origin in
      drawPairing(number, &room, &sensor, faultiness, origin)
      room.access["pop"] = .secret(Secret(String(decoding: EspGATT.proof, as: UTF8.self)))
      // Which product it is.
      var product = origin.split("esp product/\(number)")
      // A room that names no device can get another product.
      if product.chance(0.3), room.address != nil {
        room.access["endpoints.custom-data"] = .secret(Secret("floor plan \(number)"))
        sensor.label["endpoints.custom-data"] = ""
      }
      // Which firmware it has: its faults come in addition.
      var chance = origin.split("esp/\(number)")
      for kind in [FamilyFault.bluedroid, .security1] where chance.chance(0.4) {
        sensor.faults.append(ScheduledFault(.own(kind)))
      }
    }
  ) { _, site, chance in
    let index = Int.random(in: 0...1, using: &chance)
    return [
      .wifiSSID: .text(site.ssids[index]), .wifiPassword: .secret(Secret(site.passwords[index])),
    ]
  }

  private static let shelly = FirmwareDraw(
    faults: { _ in
      drawn(of: .shelly)
        + [
          .drops(in: .write(1)), .drops(in: .confirm(2)), .drops(in: .write(3)), .drops(in: .confirm(4)),
          .pairing(.demanded),
        ]
    },
    more: { number, room, sensor, _, origin in
      var chance = origin.split("shelly/\(number)")
      // Which device it is, only its room can say: by its address on air, or by that on its label.
      (room.address, room.near) = (sensor.address, nil)
      if chance.chance(0.5) {
        sensor.label["name"] = "shellyplus1-\(String(0xA803_2A00_0000 + number, radix: 16))"
        (room.address, room.deviceName) = (nil, sensor.label["name"])
      }
    }
  ) { number, site, chance in
    var settings: [SettingName: SettingValue] = [
      .roomName: .text("Room \(number)"), .wifiSSID: .text(site.ssids[0]),
      .wifiPassword: .secret(Secret(site.passwords[0])),
    ]
    let more: [(SettingName, SettingValue)] = [
      ("ip", .text("10.9.8.\(number % 250 + 1)/24")), ("time_zone", .text("Europe/Berlin")),
      ("mqtt_server", .text("mqtt.local:1883")), ("cloud", .text("off")), ("access_point", .text("off")),
      ("admin_password", .secret(Secret(site.passwords[1]))), ("ble_rpc", .text("off")),
    ]
    for (name, value) in more where chance.chance(0.3) { settings[name] = value }
    return settings
  }

  /// A product whose firmware demands an encrypted link, and what goes wrong with it. A room that names no device can get
  /// another product.
  private static func drawPairing(
    _ number: Int, _ room: inout Room, _ sensor: inout SensorScenario, _ faultiness: Double,
    _ origin: SeededGenerator
  ) {
    var chance = origin.split("esp pairing/\(number)")
    guard room.address != nil, chance.chance(0.2) else { return }
    sensor.label["pairing"] = PairingDemand.justWorks.rawValue
    room.pairingDemand = chance.chance(0.5) ? .justWorks : .ifAsked
    guard chance.chance(faultiness), let fault = PairingFault.allCases.randomElement(using: &chance) else {
      return
    }
    sensor.faults.append(
      ScheduledFault(
        .pairing(fault), attempts: chance.chance(0.5) ? Int.random(in: 1...3, using: &chance) : nil))
  }

  /// The faults that random buildings do not have: other products, and other devices.
  private static let undrawn: [FamilyFault] = [
    .security0, .noProof, .ownService, .oddVersion, .bluFi, .impostor, .joinsAnother, .staysAfterJoining,
    .refusesNetwork, .threadOnly, .otherPassword, .windowOver, .otherMAC, .generation1,
  ]

  /// The faults that only this family has and random buildings may have; none of them has a parameter.
  private static func drawn(of family: FirmwareFamily) -> [Fault] {
    family.faults.map { FamilyFault($0.name) }.filter { !undrawn.contains($0) }.map { .own($0) }
  }
}
