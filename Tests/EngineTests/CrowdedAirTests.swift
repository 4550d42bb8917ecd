import Bluetooth
import Families
import Model
import SampleFacts
import Testing

@testable import Engine

/// The limits of the air ledger.
@Suite("crowded air") struct CrowdedAirTests {
  private static let adapter = AdapterID(BluetoothAddress(rawValue: 1))

  private static func advertisement(_ number: Int) -> Advertisement {
    Advertisement(
      address: BluetoothAddress(rawValue: 0xC0_0000_0000_00 + UInt64(number)), adapter: adapter,
      receivedAt: .init(sinceZero: .milliseconds(number)), rssi: -60, localName: "Robo Sensor",
      serviceUUIDs: FamilyCatalogue.builtIn.all.prefix(1).map(\.service))
  }

  /// A run with a room and a long survey, which scans.
  private static func scanning(on session: RadioSession) -> MachineDriver {
    var run = MachineDriver([Sample.room(1, address: 1)]) { $0.survey = .seconds(60) }
    run.start([session])
    run.send(.scanBegan(session), at: 0.1)
    return run
  }

  @Test("the air ledger keeps at most a fixed number of devices, plus those that are named")
  func bounded() {
    let named = Self.advertisement(20_007)
    var air = AirLedger(families: .builtIn, named: [named.address])
    var sighted = 0
    for number in 1...20_005 where air.receive(Self.advertisement(number)) != nil {
      sighted += 1
    }
    #expect(sighted == 20_000 && air.hasOverflowed)
    #expect(air.receive(named)?.address == named.address)
    #expect(air.all.count == 20_001)
    // Known devices are still updated.
    #expect(air.receive(Self.advertisement(1)) == nil && air[Self.advertisement(1).address]?.rssi == -60)
  }

  @Test("a run says once that it ignores devices beyond the limit")
  func overflow() {
    let session = MachineDriver.hci0
    var run = Self.scanning(on: session)
    func overflows() -> Int {
      run.facts.count {
        if case .adapterFaulted(let fact) = $0 { fact.fault == .tooManyDevices } else { false }
      }
    }
    for number in 1...20_003 {
      if number == 20_000 { #expect(overflows() == 0) }
      var advertisement = Self.advertisement(number)
      advertisement.adapter = session.adapter
      run.send(.received(advertisement, session), at: 0.2)
    }
    #expect(overflows() == 1)
  }

  /// A forged sensor can send another minor each time.
  @Test("a device that changes without end does not fill the record, and its state stays current")
  func changing() {
    let session = MachineDriver.hci0
    var run = Self.scanning(on: session)
    for minor in 1...1_000 {
      var advertisement = Sample.beacon(9, minor: UInt16(minor), at: 0.2)
      advertisement.adapter = session.adapter
      run.send(.received(advertisement, session), at: 0.2)
    }
    let sightings = run.facts.count { if case .deviceSighted = $0 { true } else { false } }
    #expect(sightings == 100)
    #expect(run.machine.air[Sample.address(9)]?.identityAtWork?.minor == 1_000)
    run.receive([1], at: 0.3)
    #expect(run.facts.count { if case .deviceSighted = $0 { true } else { false } } == sightings + 1)
  }

  @Test("the sightings on record are limited in all, except those of named devices")
  func limitedInAll() throws {
    let named = Self.advertisement(100_001)
    var air = AirLedger(families: .builtIn, named: [named.address])
    let first = air.receive(Self.advertisement(1))
    let sighting = try #require(first)
    var recorded = 0
    for number in 1...1_002 {
      var other = sighting
      other.address = BluetoothAddress(rawValue: UInt64(number))
      for _ in 0..<100 where air.mayRecord(other) { recorded += 1 }
    }
    #expect(recorded == 100_000)
    let last = air.receive(named)
    let isRecorded = air.mayRecord(try #require(last))
    #expect(isRecorded)
  }

  @Test("foreign devices do not fill the air ledger")
  func foreignDevices() {
    var air = AirLedger(families: FamilyCatalogue.builtIn)
    var most = 0
    for number in 1...120_000 {
      var stranger = Self.advertisement(number)
      (stranger.localName, stranger.serviceUUIDs) = ("phone", [])
      #expect(air.receive(stranger) == nil)
      most = max(most, air.rememberedContents)
    }
    #expect(air.all.isEmpty && !air.hasOverflowed && most == 50_000)
  }
}
