import Bluetooth
import Model
import SampleFacts
import Testing

@testable import Engine

/// Two devices that send with one address, and changes of one device that look alike.
@Suite("two devices with one address") struct ContradictionTests {
  typealias Driver = MachineDriver
  private static let (a, b) = (Driver.hci0.adapter, Driver.hci1.adapter)
  private static let device = Sample.address(1)

  /// What the device sends: provisioning mode, or a beacon with this minor.
  enum Sent: Sendable {
    case waiting(Double)
    case beacon(Double, minor: UInt16 = 9)
    /// Both in one advertisement.
    case both(Double)
    /// Nothing: a report without content.
    case bare(Double)

    /// As received by the first adapter in provisioning mode, and by the second as a beacon.
    var advertisement: Advertisement {
      var advertisement =
        switch self {
        case .waiting(let second): Sample.waiting(1, at: second)
        case .beacon(let second, let minor): Sample.beacon(1, minor: minor, at: second)
        case .both(let second): Sample.beacon(1, minor: 9, at: second, name: "Robo Sensor")
        case .bare(let second):
          Advertisement(
            address: ContradictionTests.device, adapter: ContradictionTests.a,
            receivedAt: .init(sinceZero: .seconds(second)))
        }
      if case .beacon = self {
        advertisement.adapter = ContradictionTests.b
      } else {
        advertisement.adapter = ContradictionTests.a
      }
      return advertisement
    }
  }

  private static let waiting = StateSighting(adapter: a, identity: nil)
  private static let beacon = StateSighting(adapter: b, identity: 9)

  private func air(_ sent: [Sent]) -> AirLedger { Sample.air(sent.map(\.advertisement)) }

  private func match(_ air: AirLedger, registered: Bool = false) -> Match? {
    var room = Sample.room(9, address: 1)
    room.isRegistered = registered
    return Engine.match([room], of: Sample.building([room]), with: air)[room.id]
  }

  @Test("an address that waits and sends a beacon in turn is ambiguous, and the reason names both sightings")
  func inTurn() {
    for (sent, first, second) in [
      ([Sent.waiting(1), .beacon(3), .waiting(5)], Self.beacon, Self.waiting),
      ([.beacon(1), .waiting(3), .beacon(5)], Self.waiting, Self.beacon),
      // A state lasts as long as it is received.
      ([.waiting(1), .waiting(30), .beacon(32), .waiting(34)], Self.beacon, Self.waiting),
      // The shortest state, and the longest time until its return.
      ([.waiting(1), .beacon(2), .waiting(11)], Self.beacon, Self.waiting),
      // The first contradiction stays.
      ([.waiting(1), .beacon(3), .waiting(5), .both(6)], Self.beacon, Self.waiting),
    ] {
      let reason = FailureReason.contradictorySightings(Contradiction(Self.device, first, second), nil)
      #expect(match(air(sent)) == .stopped(.ambiguous, reason))
      #expect(match(air(sent), registered: true) == .stopped(.ambiguous, reason))
    }
  }

  @Test("an address that sends two minors in turn is ambiguous")
  func twoMinors() {
    let sent = [Sent.beacon(1, minor: 4), .beacon(3, minor: 9), .beacon(5, minor: 4)]
    #expect(
      air(sent)[Self.device]?.contradiction
        == Contradiction(Self.device, Self.beacon, StateSighting(adapter: Self.b, identity: 4)))
  }

  @Test("an advertisement that shows provisioning mode and a beacon is ambiguous")
  func inOne() {
    let contradiction = Contradiction(
      Self.device, Self.waiting, StateSighting(adapter: Self.a, identity: 9))
    #expect(match(air([.both(1)])) == .stopped(.ambiguous, .contradictorySightings(contradiction, nil)))
  }

  @Test(
    "a restart, a pressed button and reports that arrive late are no contradiction",
    arguments: [
      [Sent.waiting(1), .beacon(3)], [.beacon(1), .waiting(3)],
      // The report of the first adapter was delayed.
      [.waiting(1), .beacon(3), .waiting(3.4), .beacon(3.8)],
      // Provisioned elsewhere, and the button pressed again.
      [.beacon(1), .waiting(3), .beacon(15), .waiting(30)],
      // A report without content does not show that the state lasts.
      [.waiting(1), .bare(9), .beacon(10), .waiting(11.5)],
      [.beacon(1, minor: 4), .beacon(3, minor: 9), .waiting(5)],
    ])
  func legitimate(_ sent: [Sent]) {
    #expect(air(sent)[Self.device]?.contradiction == nil)
  }

  @Test("the change that this run's own work on the device explains is no contradiction")
  func ownWork() {
    var air = air([.beacon(1), .waiting(3)])
    air.mustBeReceivedAgain(Self.device)
    _ = air.receive(Sent.beacon(6).advertisement)
    #expect(air[Self.device]?.contradiction == nil)
  }

  // MARK: While a room is written

  /// A room of which an adapter writes the device while the other adapter scans, up to the proof.
  private func written(receiving second: Double?, minor: UInt16 = 1) -> Driver {
    var run = Driver(rooms: 1, adapters: [Driver.hci0, Driver.hci1])
    run.window([1])
    run.send(.connected(Driver.attempt(1)), at: 1.6)
    if let second {
      var advertisement = Sample.beacon(1, minor: minor, at: second)
      advertisement.adapter = Self.b
      run.send(.received(advertisement, Driver.hci1), at: second)
    }
    run.submit(Driver.attempt(1), at: 5)
    run.send(.scanBegan(Driver.hci0), at: 5.1)
    return run
  }

  @Test("a beacon from the address of a device that is being written leaves the room unconfirmed")
  func duringLink() {
    var run = written(receiving: 3)
    run.receiveBeacon(1, at: 6)
    let contradiction = Contradiction(
      Self.device, StateSighting(adapter: Self.b, identity: 1), StateSighting(adapter: Self.a, identity: nil))
    #expect(run.outcome(1)?.outcome == .unconfirmed)
    #expect(run.outcome(1)?.reason == .contradictorySightings(contradiction, SaveResponse()))
  }

  @Test("the beacon after the save is the proof, whichever adapter receives it")
  func afterSave() {
    var run = written(receiving: nil)
    run.receiveBeacon(1, on: Driver.hci1, at: 5.5)
    #expect(run.outcome(1)?.outcome == .provisioned)
  }

  @Test("another minor before the proof leaves the room unconfirmed")
  func otherMinor() {
    var run = written(receiving: nil)
    var advertisement = Sample.beacon(1, minor: 4, at: 5.5)
    advertisement.adapter = Self.b
    run.send(.received(advertisement, Driver.hci1), at: 5.5)
    run.receiveBeacon(1, at: 6)
    let contradiction = Contradiction(
      Self.device, StateSighting(adapter: Self.b, identity: 4), StateSighting(adapter: Self.a, identity: 1))
    #expect(run.outcome(1)?.outcome == .unconfirmed)
    #expect(run.outcome(1)?.reason == .contradictorySightings(contradiction, SaveResponse()))
  }

  // MARK: After the proof

  /// A room that was proved at 6 s while another room is still open, and then receives this from its device's
  /// address.
  private func proved(then sent: Sent) -> Driver {
    var run = Driver(rooms: 2, adapters: [Driver.hci0, Driver.hci1])
    run.window([1])
    run.send(.connected(Driver.attempt(1)), at: 1.6)
    run.submit(Driver.attempt(1), at: 5)
    run.send(.scanBegan(Driver.hci0), at: 5.1)
    run.receiveBeacon(1, at: 6)
    #expect(run.outcome(1)?.outcome == .provisioned)
    let advertisement = sent.advertisement
    run.send(
      .received(advertisement, advertisement.adapter == Self.a ? Driver.hci0 : Driver.hci1),
      at: advertisement.receivedAt.sinceZero.inSeconds)
    return run
  }

  @Test(
    "another minor, or provisioning mode, after the proof takes it back, and the reason names both sightings",
    arguments: [Sent.beacon(8, minor: 4), .waiting(8), .waiting(7)])
  func afterProof(_ sent: Sent) {
    let run = proved(then: sent)
    let advertisement = sent.advertisement
    let contradiction = Contradiction(
      Self.device, StateSighting(adapter: Self.a, identity: 1),
      StateSighting(
        adapter: advertisement.adapter, identity: advertisement.iBeacon.map { DeviceIdentity($0) }))
    #expect(run.outcome(1)?.outcome == .unconfirmed)
    #expect(run.outcome(1)?.reason == .contradictorySightings(contradiction, SaveResponse()))
    #expect(run.outcome(1)?.evidence?.grade == .savedStatus)
    #expect(run.outcome(1)?.settings.contains { $0.state == .proved } == false)
  }

  @Test(
    "the same beacon, and a report that another adapter delivers late, leave the proof",
    arguments: [Sent.beacon(8, minor: 1), .waiting(6.8), .bare(8)])
  func proofStays(_ sent: Sent) {
    #expect(proved(then: sent).outcome(1)?.outcome == .provisioned)
  }

  @Test("a room whose proof is taken back keeps what its session showed")
  func withdrawn() {
    let contradiction = Contradiction(Self.device, Self.beacon, Self.waiting)
    func withdrawn(_ outcome: Outcome, _ grade: Evidence.Grade) -> RoomFinished {
      let finished = RoomFinished(
        room: "room-1", outcome: outcome, address: Sample.address(5), attempts: 1, seconds: 1,
        evidence: Evidence(grade: grade, address: Sample.address(5)),
        settings: [
          SettingResult(name: .minor, value: "9", state: .proved),
          SettingResult(name: .roomName, value: "Room 9", state: .written),
        ])
      return finished.withdrawn(device: Self.device, contradiction)
    }
    let written = withdrawn(.provisioned, .freshBeaconOtherAddress)
    #expect(written.outcome == .unconfirmed && written.address == Self.device)
    #expect(written.evidence == Evidence(grade: .savedStatus, address: Self.device))
    #expect(written.settings.map(\.state) == [.acknowledged, .written])
    #expect(written.reason == .contradictorySightings(contradiction, SaveResponse()))
    let unacknowledged = withdrawn(.provisioned, .freshBeaconUnacknowledged)
    #expect(unacknowledged.outcome == .unconfirmed && unacknowledged.evidence == nil)
    #expect(unacknowledged.settings.map(\.state) == [.written, .written])
    let earlier = withdrawn(.alreadyProvisioned, .beaconOnAir)
    #expect(earlier.outcome == .ambiguous && earlier.evidence == nil && earlier.address == Self.device)
    #expect(earlier.settings.map(\.state) == [.notWritten, .notWritten])
    #expect(earlier.reason == .contradictorySightings(contradiction, nil))
  }
}
