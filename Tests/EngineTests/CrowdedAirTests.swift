import Bluetooth
import Families
import Model
import Testing

@testable import Engine

/// The limits of the air ledger.
@Suite("crowded air") struct CrowdedAirTests {
  private static let adapter = AdapterID(BluetoothAddress(rawValue: 1))

  private static func advertisement(_ number: Int) -> Advertisement {
    Advertisement(
      address: BluetoothAddress(rawValue: 0xC0_0000_0000_00 + UInt64(number)), adapter: adapter,
      receivedAt: .init(sinceZero: .milliseconds(number)), rssi: -60, localName: "Robo Sensor",
      serviceUUIDs: DeviceProfiles.all.prefix(1).map(\.service))
  }

  @Test("the air ledger keeps at most a fixed number of devices, plus those that are named")
  func bounded() {
    let named = Self.advertisement(AirLedger.mostDevices + 7)
    var air = AirLedger(profiles: DeviceProfiles.all, named: [named.address])
    var sighted = 0
    for number in 1...(AirLedger.mostDevices + 5) where air.receive(Self.advertisement(number)) != nil {
      sighted += 1
    }
    #expect(sighted == AirLedger.mostDevices && air.hasOverflowed)
    #expect(air.receive(named)?.address == named.address)
    #expect(air.all.count == AirLedger.mostDevices + 1)
    // Known devices are still updated.
    #expect(air.receive(Self.advertisement(1)) == nil && air[Self.advertisement(1).address]?.rssi == -60)
  }

  @Test("foreign devices do not fill the air ledger")
  func foreignDevices() {
    var air = AirLedger(profiles: DeviceProfiles.all)
    for number in 1...120_000 {
      var stranger = Self.advertisement(number)
      (stranger.localName, stranger.serviceUUIDs) = ("phone", [])
      #expect(air.receive(stranger) == nil)
    }
    #expect(air.all.isEmpty && !air.hasOverflowed && air.rememberedContents <= 50_000)
  }
}
