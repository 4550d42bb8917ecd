import Bluetooth
import Engine
import Model
import Testing
import VirtualBuilding

/// With a long advertising interval, the search, the connection and the proof of a beacon take as long.
@Suite("beacons that advertise rarely") struct RareBeaconScenarios {
  static let intervals: [Duration] = [.seconds(10), .seconds(20), .seconds(30)]

  /// A host with a long connect timeout for such beacons (Autoconnecttimeout).
  private static var patient: RadioParameters {
    var radio = RadioParameters()
    radio.deadAttempt = .seconds(40)
    return radio
  }

  private static func room(_ interval: Duration, power: String = "medium") -> Room {
    Sample.beaconRoom(1, address: 1, power: power, interval: interval)
  }

  @Test(
    "a beacon with a long interval is found, written and proved in the first attempt",
    arguments: intervals, [1, 2, 3] as [UInt64])
  func longInterval(_ interval: Duration, seed: UInt64) async throws {
    let (before, room) = (Self.room(interval), Self.room(interval, power: "low"))
    try await succession([Sample.beaconDevice(1)], seed: seed, radio: Self.patient) { succession in
      _ = await succession.run([before])
      try? await succession.clock.sleep(for: .seconds(7 * seed))
      let run = await succession.run([room]).expectInvariants()
      #expect(run.outcome(1)?.outcome == .provisioned)
    }
  }

  @Test(
    "a beacon with a long interval is found without a record",
    arguments: intervals, [1, 2, 3] as [UInt64])
  func unknown(_ interval: Duration, seed: UInt64) async throws {
    let room = Self.room(interval)
    try await succession([Sample.beaconDevice(1, holds: Sample.done(room))], seed: seed, radio: Self.patient)
    {
      succession in
      try? await succession.clock.sleep(for: .seconds(7 * seed))
      let run = await succession.run([room]).expectInvariants()
      #expect(run.outcome(1)?.outcome == .alreadyProvisioned && run.writes.isEmpty)
      #expect(run.outcome(1)?.settings.allSatisfy { $0.state == .proved } == true)
    }
  }

  @Test(
    "a beacon with a long interval is proved, and gets longer timeouts, though the manifest wants a short one",
    arguments: intervals)
  func shorterInterval(_ interval: Duration) async throws {
    let (before, room) = (Self.room(interval), Self.room(.milliseconds(100)))
    try await succession([Sample.beaconDevice(1)], radio: Self.patient) { succession in
      let first = await succession.run([before]).expectInvariants()
      #expect(first.outcome(1)?.outcome == .provisioned)
      let run = await succession.run([room]).expectInvariants()
      #expect(run.outcome(1)?.outcome == .provisioned)
    }
  }

  @Test("a beacon with a long interval on record gets longer timeouts when the manifest has no interval")
  func intervalOnRecord() async throws {
    let before = Sample.beaconRoom(1, address: 1, interval: .seconds(39))
    let room = Sample.beaconRoom(1, address: 1, power: "low", interval: nil)
    try await succession([Sample.beaconDevice(1)], radio: Self.patient) { succession in
      _ = await succession.run([before])
      let run = await succession.run([room]) { backstage, event in
        // The first advertisement after the write is missed.
        guard case .linkEnded = event.fact else { return }
        await backstage.world.setMuted(true, Sample.address(1))
        backstage.after(.seconds(3)) { await backstage.world.setMuted(false, Sample.address(1)) }
      }.expectInvariants()
      #expect(run.outcome(1)?.outcome == .provisioned)
    }
  }

  @Test("a beacon with the wanted interval on record gets only the timeouts of the manifest")
  func wantedInterval() async throws {
    var room = Self.room(.seconds(1), power: "low")
    room.timeouts.connect = .seconds(3)
    try await succession([Sample.beaconDevice(1)]) { [room] succession in
      _ = await succession.run([Self.room(.seconds(1))])
      let run = await succession.run([room])
      let timeouts = run.facts {
        if case .stageStarted(let fact) = $0, fact.stage == .connect { fact.timeout } else { nil }
      }
      #expect(timeouts.map(\.1) == [3])
    }
  }

  @Test("a beacon with a long interval is found among devices that advertise often", arguments: intervals)
  func amongOthers(_ interval: Duration) async throws {
    let rooms =
      [Self.room(interval, power: "low")] + (2...5).map { Sample.beaconRoom($0, address: UInt64($0)) }
    let others = (2...5).map { Sample.beaconDevice(UInt64($0)) }
    try await succession([Sample.beaconDevice(1)] + others, radio: Self.patient) { succession in
      _ = await succession.run([Self.room(interval)])
      let run = await succession.run(rooms).expectInvariants()
      #expect(run.result.rooms.map(\.outcome) == Array(repeating: .provisioned, count: 5))
    }
  }

  @Test("a beacon that the host's connect timeout excludes is not written, and the reason has the advice")
  func tooRare() async throws {
    let (before, room) = (Self.room(.seconds(30)), Self.room(.seconds(30), power: "low"))
    try await succession([Sample.beaconDevice(1)]) { succession in
      #expect(await succession.run([before]).outcome(1)?.outcome == .provisioned, "the interval was short")
      let run = await succession.run([room]).expectInvariants()
      #expect(run.outcome(1)?.outcome == .unreachable)
      #expect([.connectFailed, .connectTimedOut].contains(run.outcome(1)?.reason?.code))
      #expect(run.writes.isEmpty)
      // The earlier settings still apply.
      let next = await succession.run([before])
      #expect(next.outcome(1)?.outcome == .alreadyProvisioned && next.connected.isEmpty)
    }
  }
}
