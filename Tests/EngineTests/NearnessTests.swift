import Bluetooth
import Engine
import Model
import Synchronization
import Testing
import VirtualBuilding

/// Adapters in rooms, their sightings, and the matches.
@Suite("matching by nearness") struct NearnessTests {
  private static let adapters: [Adapter] = (0..<4).map { number in
    Adapter(
      id: AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7100 + UInt64(number))), name: "hci\(number)",
      state: .ready)
  }

  private static var nearby: (_ rooms: [Room]) -> NearbyAdapters {
    { rooms in
      var nearby = NearbyAdapters()
      for adapter in adapters { nearby.take(adapter, namedBy: rooms) }
      return nearby
    }
  }

  /// The RSSI of a sensor by adapter; nil where it is not received.
  struct Received: Sendable, ExpressibleByDictionaryLiteral {
    var strengths: [(sensor: UInt64, rssi: [Int?])]

    init(dictionaryLiteral elements: (UInt64, [Int?])...) {
      strengths = elements.map { ($0.0, $0.1) }
    }
  }

  /// The sightings of ten seconds.
  /// - Parameter times: how often, from the first second on.
  private func air(
    _ received: Received, times: Int = 10, by adapters: [Adapter] = NearnessTests.adapters
  ) -> AirLedger {
    Sample.air(
      received.strengths.flatMap { sensor, strengths in
        strengths.enumerated().flatMap { index, rssi -> [Advertisement] in
          guard let rssi else { return [] }
          return (0..<times).map { time in
            var advertisement = Sample.waiting(
              sensor, at: 1 + Double(time), rssi: rssi + [-2, 0, 2, 0][time % 4])
            advertisement.adapter = adapters[index].id
            return advertisement
          }
        }
      })
  }

  private func match(
    _ rooms: [Room], _ air: AirLedger, at second: Double = 11, of building: Building? = nil,
    _ known: Known = Known(), taken: Set<BluetoothAddress> = []
  ) -> [RoomID: Match] {
    let building = building ?? Sample.building(rooms)
    return Engine.match(
      rooms, of: building, with: air, known, nearby: Self.nearby(building.rooms), taken: taken,
      now: MonotonicInstant(sinceZero: .seconds(second)))
  }

  private func room(_ number: Int, near adapter: AdapterReference) -> Room {
    var room = Sample.room(number)
    room.near = adapter
    return room
  }

  private func reason(_ match: Match?) -> FailureReason? {
    if case .stopped(_, let reason)? = match { reason } else { nil }
  }

  @Test("a sensor is the room's when it is near, alone, and received for long enough")
  func nearest() {
    let rooms = [room(1, near: "hci0"), room(2, near: "hci1"), room(3, near: "hci2")]
    let air = air([1: [-50, -72, nil], 2: [-70, -48, -66], 3: [nil, -80, -55], 9: [-80, -80, -80]])
    #expect(
      match(rooms, air) == [
        "room-1": .device(Sample.address(1), .nearest), "room-2": .device(Sample.address(2), .nearest),
        "room-3": .device(Sample.address(3), .nearest),
      ])
  }

  @Test("an adapter can be named by its address")
  func byAddress() {
    let rooms = [room(1, near: AdapterReference(Self.adapters[1].id.description))]
    #expect(match(rooms, air([1: [nil, -50]])) == ["room-1": .device(Sample.address(1), .nearest)])
  }

  @Test(
    "an ambiguous sensor is not matched",
    arguments: [
      // Two sensors in the room.
      (
        [1: [-52], 2: [-54]] as Received, FailureReason.Code.notClearlyNearest, Outcome.ambiguous, [-52, -54]
      ),
      // The second one is just within the margin, then just outside.
      ([1: [-50], 2: [-58]] as Received, .notClearlyNearest, .ambiguous, [-50, -58]),
      // Received nearly as strongly in the next room.
      ([1: [-52, -57]] as Received, .notClearlyNearest, .ambiguous, [-52, -57]),
      ([1: [-52, -58, -57]] as Received, .notClearlyNearest, .ambiguous, [-52, -57]),
      // In the corridor.
      ([1: [-71]] as Received, .notNear, .pending, [-71]),
      ([1: [nil, -40]] as Received, .noCandidate, .pending, []),
    ])
  func doubtful(_ received: Received, _ code: FailureReason.Code, _ outcome: Outcome, _ strengths: [Int]) {
    let rooms = [room(1, near: "hci0"), room(2, near: "hci1"), room(3, near: "hci2")]
    let match = match(rooms, air(received))["room-1"]
    guard case .stopped(let found, let reason)? = match else {
      Issue.record("\(String(describing: match))")
      return
    }
    #expect(found == outcome && reason.code == code && reason.near == "hci0")
    #expect((reason.candidates ?? []).map(\.rssi) == strengths)
  }

  @Test("the margin applies exactly in both directions")
  func margin() {
    let rooms = [room(1, near: "hci0"), room(2, near: "hci1")]
    let clear = match(rooms, air([1: [-50, -59], 2: [-59, nil]]))
    #expect(clear["room-1"] == .device(Sample.address(1), .nearest))
  }

  @Test(
    "a sensor must be received for long enough, often enough, and strongly enough",
    arguments: [
      (2, 11, -50, .receivedTooBriefly), (10, 4.9, -50, .receivedTooBriefly),
      (3, 4.9, -50, .receivedTooBriefly), (3, 5, -50, nil),
      // One report, of -70 and -71 dBm.
      (1, 11, -68, .receivedTooBriefly), (1, 11, -69, .notNear),
    ] as [(Int, Double, Int, FailureReason.Code?)])
  func settling(times: Int, second: Double, rssi: Int, code: FailureReason.Code?) {
    let match = match([room(1, near: "hci0")], air([1: [rssi]], times: times), at: second)["room-1"]
    #expect(match != nil && reason(match)?.code == code)
  }

  @Test(
    "an old sighting does not count",
    arguments: [(35, nil), (36, .noCandidate)] as [(Double, FailureReason.Code?)])
  func stale(second: Double, code: FailureReason.Code?) {
    let match = match([room(1, near: "hci0")], air([1: [-50]]), at: second)["room-1"]
    #expect(match != nil && reason(match)?.code == code)
  }

  @Test("a sensor with a room is neither matched nor a rival")
  func claimed() {
    let rooms = [room(1, near: "hci0"), Sample.room(2, address: 2)]
    let found = match(rooms, air([1: [-55], 2: [-50]]))
    #expect(found["room-1"] == .device(Sample.address(1), .nearest))
    let taken = match([rooms[0]], air([1: [-55], 3: [-50]]), taken: [Sample.address(3)])
    #expect(taken["room-1"] == .device(Sample.address(1), .nearest))
  }

  @Test("rooms that share an adapter are not matched by nearness")
  func shared() {
    let rooms = [room(1, near: "hci0"), room(2, near: "hci0")]
    let air = air([1: [-50]])
    let building = Sample.building(rooms)
    #expect(Set(match(rooms, air).values.compactMap { reason($0)?.code }) == [.adapterShared])
    // One room alone is matched.
    #expect(match([rooms[1]], air, of: building)["room-2"] == .device(Sample.address(1), .nearest))
  }

  @Test("an absent adapter decides nothing")
  func missing() {
    let match = match([room(1, near: "hci7")], air([1: [-50]]))["room-1"]
    #expect(reason(match)?.code == .adapterMissing && reason(match)?.near == "hci7")
  }

  @Test("an adapter that no room is near decides nothing, however strongly it receives a sensor")
  func elsewhere() {
    let found = match([room(1, near: "hci0")], air([1: [-52, -50]]))
    #expect(found == ["room-1": .device(Sample.address(1), .nearest)])
  }

  @Test("a sensor that may stand in a room with an adapter is not given to a room that takes any")
  func any() {
    let rooms = [room(1, near: "hci0"), Sample.room(2)]
    let building = Sample.building(rooms, .any)
    let found = match(rooms, air([1: [-50], 2: [-52], 3: [-80], 4: [-70]], times: 4), of: building)
    #expect(reason(found["room-1"])?.code == .notClearlyNearest)
    // Sensors 1, 2 and 4 may be room 1's.
    #expect(found["room-2"] == .device(Sample.address(3), .any))
  }

  @Test("a reference means the same adapter even if names change")
  func renamed() {
    let rooms = [room(1, near: "hci0")]
    var nearby = Self.nearby(rooms)
    var renamed = Self.adapters[1]
    renamed.name = "hci0"
    nearby.take(renamed, namedBy: rooms)
    let found = Engine.match(
      rooms, of: Sample.building(rooms), with: air([1: [-50, nil], 2: [nil, -50]]), nearby: nearby,
      now: MonotonicInstant(sinceZero: .seconds(11)))
    #expect(found["room-1"] == .device(Sample.address(1), .nearest))
  }

  /// Two gateways with two adapters each.
  private static let gateways: [Adapter] = (0..<4).map { number in
    let host = "floor-\(number / 2)"
    return Adapter(
      id: AdapterID(adapters[number].id.address, on: HostName(host)), name: "\(host)/hci\(number % 2)",
      state: .ready)
  }

  /// The matches with the adapters of gateways, which come in this order.
  private func remotely(_ rooms: [Room], _ received: Received, order: [Int]) -> [RoomID: Match] {
    var nearby = NearbyAdapters()
    for number in order { nearby.take(Self.gateways[number], namedBy: rooms) }
    return Engine.match(
      rooms, of: Sample.building(rooms), with: air(received, by: Self.gateways), Known(), nearby: nearby,
      now: MonotonicInstant(sinceZero: .seconds(11)))
  }

  @Test("the adapters of a host are one place", arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [1, 2, 0, 3]])
  func host(order: [Int]) {
    let rooms = [room(1, near: "floor-0"), room(2, near: "floor-1/hci1")]
    let received: Received = [1: [-80, -50, -75, -70], 2: [-70, -75, -45, -50]]
    #expect(
      remotely(rooms, received, order: order) == [
        "room-1": .device(Sample.address(1), .nearest), "room-2": .device(Sample.address(2), .nearest),
      ])
  }

  @Test("a sensor counts at a host as the strongest adapter receives it, and a reason lists five")
  func strongestOfHost() {
    let match = remotely(
      [room(1, near: "floor-0")],
      [1: [-50, -60], 2: [-61, -51], 3: [-52, -62], 4: [-63, -53], 5: [-54, -64], 6: [-65, -55]],
      order: [0, 1])["room-1"]
    #expect(reason(match)?.code == .notClearlyNearest)
    #expect((reason(match)?.candidates ?? []).map(\.rssi) == [-50, -51, -52, -53, -54])
  }

  @Test(
    "rooms near a host and near one of its adapters are at one place, in whatever order they are named and plugged in",
    arguments: [[0, 1], [1, 0]], [true, false])
  func overlap(order: [Int], hostFirst: Bool) {
    let rooms = [room(1, near: "floor-0"), room(2, near: "floor-0/hci1")]
    let matches = remotely(
      hostFirst ? rooms : rooms.reversed(), [1: [-50, -80], 2: [-80, -50]], order: order)
    for room in rooms { #expect(reason(matches[room.id])?.code == .adapterShared) }
  }

  @Test("hci0 is an adapter of this computer, and no host's")
  func localName() {
    let remote = Self.gateways[0]
    #expect(!AdapterReference("hci0").names(remote))
    #expect(!AdapterReference(remote.id.address.description).names(remote))
    for text in ["floor-0", "floor-0/hci0", remote.id.description] {
      #expect(AdapterReference(text).names(remote))
    }
    for text in ["floor-1", "floor-1/hci0", "floor-0/hci1", "floor"] {
      #expect(!AdapterReference(text).names(remote))
    }
  }
}

/// Nearness in whole runs.
@Suite("runs with adapters in rooms") struct NearnessScenarios {
  @Test("rooms get the sensor that stands in them, and ambiguous rooms get none")
  func building() async throws {
    var rooms = (1...4).map { Sample.room($0) }
    for index in rooms.indices { rooms[index].near = AdapterReference("hci\(index)") }
    let run = try await rehearse(
      Array(repeating: [], count: 5), rooms: rooms,
      scenario: { scenario in
        scenario.adapters = ParallelScenarios.four
        // One sensor in each room, and a second one in the fourth.
        for (index, place) in [0, 1, 2, 3, 3].enumerated() {
          scenario.sensors[index].signal = SignalStrength(
            base: -75, perAdapter: [ParallelScenarios.four[place].address: -48 - index])
        }
      })
    for number in 1...3 {
      #expect(run.outcome(number)?.outcome == .provisioned)
      #expect(run.outcome(number)?.address == Sample.address(UInt64(number)))
    }
    let doubtful = run.outcome(4)
    #expect(doubtful?.outcome == .ambiguous && doubtful?.reason?.code == .notClearlyNearest)
    #expect(Set(run.writes.map(\.address)).isDisjoint(with: [Sample.address(4), Sample.address(5)]))
    let bases = run.facts { if case .bindingCommitted(let fact) = $0 { fact.basis } else { nil } }
    #expect(Set(bases.map(\.1)) == [.nearest])
  }

  @Test(
    "rooms get the nearest sensor only after a confirmation, which is on record",
    arguments: [nil, Consent.answer, .option])
  func consent(_ consent: Consent?) async throws {
    let proposed = Mutex<[ProposedBinding]>([])
    var room = Sample.room(1)
    room.near = "hci0"
    let run = try await rehearse(
      [[]], rooms: [room],
      confirm: { proposals in
        proposed.withLock { $0 += proposals }
        return consent
      })
    #expect(proposed.withLock { $0.map(\.room.id) } == ["room-1"])
    #expect(proposed.withLock { $0.map(\.address) } == [Sample.address(1)])
    let bindings = run.facts { if case .bindingCommitted(let fact) = $0 { fact } else { nil } }
    #expect(bindings.map(\.1.consent) == (consent == nil ? [] : [consent]))
    #expect(run.outcome(1)?.outcome == (consent == nil ? .pending : .provisioned))
    #expect(run.outcome(1)?.reason?.code == (consent == nil ? .notConfirmed : nil))
    #expect(run.writes.isEmpty == (consent == nil))
  }
}
