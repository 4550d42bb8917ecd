import Bluetooth
import Engine
import Model
import Testing
import VirtualBuilding

/// Adapters that stand in rooms, what they hear, and what follows.
@Suite("The nearest sensor") struct NearnessTests {
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

  /// How strongly a sensor is heard, adapter by adapter; nil where it is not.
  struct Heard: Sendable, ExpressibleByDictionaryLiteral {
    var strengths: [(sensor: UInt64, rssi: [Int?])]

    init(dictionaryLiteral elements: (UInt64, [Int?])...) {
      strengths = elements.map { ($0.0, $0.1) }
    }
  }

  /// What is heard in ten seconds.
  /// - Parameter times: how often, from the first second on.
  private func air(_ heard: Heard, times: Int = 10) -> AirLedger {
    Sample.air(
      heard.strengths.flatMap { sensor, strengths in
        strengths.enumerated().flatMap { index, rssi -> [Advertisement] in
          guard let rssi else { return [] }
          return (0..<times).map { time in
            var news = Sample.waiting(sensor, at: 1 + Double(time), rssi: rssi + [-2, 0, 2, 0][time % 4])
            news.adapter = Self.adapters[index].id
            return news
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

  @Test("is the room's when it is near, alone, and heard for a while")
  func nearest() {
    let rooms = [room(1, near: "hci0"), room(2, near: "hci1"), room(3, near: "hci2")]
    let air = air([1: [-50, -72, nil], 2: [-70, -48, -66], 3: [nil, -80, -55], 9: [-80, -80, -80]])
    #expect(
      match(rooms, air) == [
        "room-1": .device(Sample.address(1), .nearest), "room-2": .device(Sample.address(2), .nearest),
        "room-3": .device(Sample.address(3), .nearest),
      ])
  }

  @Test("is found by the adapter's address, too")
  func byAddress() {
    let rooms = [room(1, near: AdapterReference(Self.adapters[1].id.description))]
    #expect(match(rooms, air([1: [nil, -50]])) == ["room-1": .device(Sample.address(1), .nearest)])
  }

  @Test(
    "is not guessed",
    arguments: [
      // Two in the room.
      ([1: [-52], 2: [-54]] as Heard, FailureReason.Code.notClearlyNearest, Outcome.ambiguous, [-52, -54]),
      // The second is just within the margin, then just outside of it.
      ([1: [-50], 2: [-58]] as Heard, .notClearlyNearest, .ambiguous, [-50, -58]),
      // Nearly as well heard in the next room.
      ([1: [-52, -57]] as Heard, .notClearlyNearest, .ambiguous, [-52, -57]),
      // In the corridor.
      ([1: [-71]] as Heard, .notNear, .pending, [-71]),
      ([1: [nil, -40]] as Heard, .noCandidate, .pending, []),
    ])
  func doubtful(_ heard: Heard, _ code: FailureReason.Code, _ outcome: Outcome, _ strengths: [Int]) {
    let rooms = [room(1, near: "hci0"), room(2, near: "hci1")]
    let match = match(rooms, air(heard))["room-1"]
    guard case .stopped(let found, let reason)? = match else {
      Issue.record("\(String(describing: match))")
      return
    }
    #expect(found == outcome && reason.code == code && reason.near == "hci0")
    #expect((reason.candidates ?? []).map(\.rssi) == strengths)
  }

  @Test("is ahead by the margin both ways, exactly")
  func margin() {
    let rooms = [room(1, near: "hci0"), room(2, near: "hci1")]
    let clear = match(rooms, air([1: [-50, -59], 2: [-59, nil]]))
    #expect(clear["room-1"] == .device(Sample.address(1), .nearest))
  }

  @Test("must have been heard for a while, and often", arguments: [(2, 11.0), (10, 4.9), (3, 4.9)])
  func settling(times: Int, second: Double) {
    let match = match([room(1, near: "hci0")], air([1: [-50]], times: times), at: second)["room-1"]
    #expect(reason(match)?.code == .heardTooBriefly)
  }

  @Test("counts no longer when it was heard long ago")
  func stale() {
    let match = match([room(1, near: "hci0")], air([1: [-50]]), at: 36)["room-1"]
    #expect(reason(match)?.code == .noCandidate)
  }

  @Test("is nobody's who has a room, and nobody's rival either")
  func claimed() {
    let rooms = [room(1, near: "hci0"), Sample.room(2, address: 2)]
    let found = match(rooms, air([1: [-55], 2: [-50]]))
    #expect(found["room-1"] == .device(Sample.address(1), .nearest))
    let taken = match([rooms[0]], air([1: [-55], 3: [-50]]), taken: [Sample.address(3)])
    #expect(taken["room-1"] == .device(Sample.address(1), .nearest))
  }

  @Test("is for one room alone: not while several without a sensor are near one adapter")
  func shared() {
    let rooms = [room(1, near: "hci0"), room(2, near: "hci0")]
    let air = air([1: [-50]])
    let building = Sample.building(rooms)
    #expect(Set(match(rooms, air).values.compactMap { reason($0)?.code }) == [.adapterShared])
    // One at a time, it is another matter.
    #expect(match([rooms[1]], air, of: building)["room-2"] == .device(Sample.address(1), .nearest))
  }

  @Test("cannot be told by an adapter that is not there")
  func missing() {
    let match = match([room(1, near: "hci7")], air([1: [-50]]))["room-1"]
    #expect(reason(match)?.code == .adapterMissing && reason(match)?.near == "hci7")
  }

  @Test("is not given to a room that takes any")
  func any() {
    let rooms = [room(1, near: "hci0"), Sample.room(2)]
    let building = Sample.building(rooms, .any)
    let found = match(rooms, air([1: [-50], 2: [-52], 3: [-80]]), of: building)
    #expect(reason(found["room-1"])?.code == .notClearlyNearest)
    // 1 and 2 may be room 1's.
    #expect(found["room-2"] == .device(Sample.address(3), .any))
  }

  @Test("stays the same whatever else the adapters are called afterwards")
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
}

/// The same, in a building.
@Suite("Rooms with an adapter in them") struct NearnessStories {
  @Test("get the sensor that is in them, and what is doubtful stays as it is")
  func building() async throws {
    var rooms = (1...4).map { Sample.room($0) }
    for index in rooms.indices { rooms[index].near = AdapterReference("hci\(index)") }
    let run = try await rehearse(
      Array(repeating: [], count: 5), rooms: rooms,
      scenario: { scenario in
        scenario.adapters = ParallelStories.four
        // A sensor in each room, and in the fourth there is one more.
        for (index, place) in [0, 1, 2, 3, 3].enumerated() {
          scenario.sensors[index].signal = Signal(
            base: -75, perAdapter: [ParallelStories.four[place].address: -48 - index])
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
}
