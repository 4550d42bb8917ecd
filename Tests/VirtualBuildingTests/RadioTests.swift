import Bluetooth
import Testing
import VirtualBuilding
import VirtualCentral
import VirtualTime

@Suite("The virtual radio")
struct RadioTests {
  private static let four: [[ScheduledFault]] = [[], [], [], []]

  @Test("a connection takes 0.33 s, but 10 s if the same adapter is discovering")
  func discoveryCosts() async throws {
    try await Building.run(Self.four) { (building) async throws in
      try await building.central.scan(on: Building.adapter) { (advertisement) async throws(CentralError) in
        var received: Set<BluetoothAddress> = []
        for try await one in advertisement {
          received.insert(one.address)
          if received.count == 4 { break }
        }
        let took = try await building.timeToConnect(1, on: Building.adapter)
        guard (Duration.seconds(10)...(.seconds(10.8))).contains(took) else {
          throw CentralError(.other, stackText: "\(took)")
        }
      }
      let took = try await building.timeToConnect(2, on: Building.adapter)
      #expect((Duration.seconds(0.25)...(.seconds(0.45))).contains(took))
    }
  }

  @Test(
    "the stack confirms a link about 0.1 s after it is up, 1 s later for a slow sensor",
    arguments: [false, true])
  func confirmation(isSlow: Bool) async throws {
    try await Building.run([isSlow ? [.init(.slow)] : []]) { (building) async throws in
      try await building.receive()
      let (instants, source) = AsyncStream.makeStream(of: MonotonicInstant.self)
      _ = try await building.central.connect(to: Building.sensor(1), on: Building.adapter) {
        [clock = building.clock] in
        source.yield(clock.now)
        source.finish()
      }
      var up: [MonotonicInstant] = []
      for await instant in instants { up.append(instant) }
      let confirmed = try #require(up.first).duration(to: building.clock.now)
      let exchange = Duration.milliseconds(70)...(.milliseconds(110))
      #expect(exchange.contains(confirmed - (isSlow ? .seconds(1) : .zero)), "\(confirmed)")
    }
  }

  @Test("a connection takes 10 s if another program scans, and the program is reported")
  func foreignScan() async throws {
    try await Building.run { (building) async throws in
      try await building.receive()
      await building.world.setForeignScan(["bluetoothctl (pid 812)"], Building.adapter.address)
      let scanned = try await building.central.adapters().filter(\.isScannedByOthers)
      #expect(scanned.map(\.id) == [Building.adapter])
      #expect(await building.central.scanningClients(on: Building.adapter) == ["bluetoothctl (pid 812)"])
      #expect(await building.central.scanningClients(on: Building.secondAdapter) == [])
      let took = try await building.timeToConnect(1, on: Building.adapter)
      #expect((Duration.seconds(10)...(.seconds(10.8))).contains(took))
      await #expect(throws: CentralError.self) { try await building.central.powerCycle(Building.adapter) }
    }
  }

  @Test("a deaf adapter receives nothing until it is power-cycled or repaired")
  func deaf() async throws {
    try await Building.run { (building) async throws in
      try await building.receive()
      for isCycled in [true, false] {
        await building.world.setDeaf(true, Building.adapter.address)
        #expect(try await building.receive(within: .seconds(30)) == nil)
        #expect(try await building.receive(on: Building.secondAdapter) != nil)
        if isCycled {
          try await building.central.powerCycle(Building.adapter)
        } else {
          await building.world.setDeaf(false, Building.adapter.address)
        }
        #expect(try await building.receive(within: .seconds(30)) != nil)
      }
    }
  }

  @Test("discovery of another adapter does not delay a connection")
  func otherAdapter() async throws {
    try await Building.run { (building) async throws in
      try await building.receive(on: Building.secondAdapter)
      let took = try await building.central.scan(on: Building.adapter) { (_) async throws(CentralError) in
        try await building.timeToConnect(1, on: Building.secondAdapter)
      }
      #expect(took <= .seconds(0.65))
    }
  }

  @Test("an adapter makes one connection after the other, and attempts to a dead peripheral rotate")
  func queue() async throws {
    try await Building.run([[.init(.neverAnswers)], [], []]) { (building) async throws in
      for number in 1...3 as ClosedRange<UInt64> { try await building.receive(Building.sensor(number)) }
      let took = try await withThrowingTaskGroup(of: Duration?.self) { group in
        group.addTask {
          _ = try? await building.central.connect(to: Building.sensor(1), on: Building.adapter)
          return nil
        }
        for number in 2...3 as ClosedRange<UInt64> {
          group.addTask {
            try await building.clock.sleep(for: .milliseconds(number))
            return try await building.timeToConnect(number, on: Building.adapter)
          }
        }
        var took: [Duration] = []
        while took.count < 2, let next = try await group.next() { if let next { took.append(next) } }
        group.cancelAll()
        return took
      }
      #expect(took.allSatisfy { (Duration.seconds(4)...(.seconds(4.6))).contains($0) })
      #expect(took[0] != took[1])
    }
  }

  @Test("an adapter holds as many links as it has slots")
  func slots() async throws {
    var radio = RadioParameters()
    radio.slotsPerAdapter = 2
    try await Building.run(Self.four, radio: radio) { (building) async throws in
      for number in 1...3 as ClosedRange<UInt64> { try await building.receive(Building.sensor(number)) }
      let first = try await building.central.connect(to: Building.sensor(1), on: Building.adapter)
      _ = try await building.central.connect(to: Building.sensor(2), on: Building.adapter)
      let error = await #expect(throws: CentralError.self) {
        _ = try await building.central.connect(to: Building.sensor(3), on: Building.adapter)
      }
      #expect(error?.code == .outOfSlots)
      #expect(await building.world.attemptCount(of: Building.sensor(3)) == 0, "an attempt reached the sensor")
      await first.disconnect()
      try await building.receive(Building.sensor(3))
      _ = try await building.central.connect(to: Building.sensor(3), on: Building.adapter)
      #expect(await building.world.openLinkCount() == 2)
    }
  }

  @Test("a disconnect takes 2 s and more, during which the link can be used")
  func disconnect() async throws {
    try await Building.run { (building) async throws in
      let peripheral = try await building.connect()
      let service = try await peripheral.roboSensor()
      let before = building.clock.now
      async let end: Void = peripheral.disconnect()
      try await building.clock.sleep(for: .seconds(1))
      try await peripheral.write([0, 1], to: try service.require(RoboSensorGATT.minor), .withResponse)
      await end
      #expect((Duration.seconds(2)...(.seconds(2.8))).contains(before.duration(to: building.clock.now)))
    }
  }

  @Test(
    "a peripheral is forgotten 30 s after discovery has stopped", arguments: [(29, true), (31, false)])
  func lifetime(_ seconds: Int, _ isKnown: Bool) async throws {
    try await Building.run { (building) async throws in
      try await building.receive()
      try await building.clock.sleep(for: .seconds(seconds))
      let link = try? await building.central.connect(to: Building.sensor(1), on: Building.adapter)
      #expect((link != nil) == isKnown)
    }
  }

  @Test("each adapter receives a sensor with the scenario's strength, within the fading")
  func signal() async throws {
    try await Building.run(change: {
      $0.sensors[0].signal = SignalStrength(base: nil, perAdapter: [Building.adapter.address: -72])
    }) { (building) async throws in
      var strengths: [Int] = []
      for _ in 0..<20 { strengths.append(try await building.receive()?.rssi ?? 0) }
      #expect(strengths.allSatisfy { (-75 ... -69).contains($0) })
      #expect(Set(strengths).count > 2)
      #expect(try await building.receive(on: Building.secondAdapter, within: .seconds(20)) == nil)
    }
  }

  @Test("a sensor is switched on at the time of the scenario")
  func lateArrival() async throws {
    try await Building.run(change: { $0.sensors[0].appearsAfter = .seconds(40) }) { (building) async throws in
      let advertisement = try #require(try await building.receive())
      #expect((Duration.seconds(40)...(.seconds(40.2))).contains(advertisement.receivedAt.sinceZero))
    }
  }

  @Test("connecting to a weak sensor often fails")
  func weak() async throws {
    let (failed, connected) = try await Building.run(change: {
      $0.sensors[0].signal = SignalStrength(base: -90)
    }) {
      (building) async throws in
      var (failed, connected) = (0, 0)
      for _ in 0..<40 {
        do {
          let peripheral = try await building.connect()
          connected += 1
          await peripheral.disconnect()
        } catch let error as CentralError where error.code == .connectFailed {
          failed += 1
        }
      }
      return (failed, connected)
    }
    #expect(failed > 5 && connected > 5)
  }

  @Test("a stop of the stack is reported, and its start begins without links")
  func stack() async throws {
    try await Building.run { (building) async throws in
      let peripheral = try await building.connect()
      await building.world.stopStack()
      #expect(await peripheral.disconnection()?.cause == .stackLost)
      let error = await #expect(throws: CentralError.self) { try await building.central.adapters() }
      #expect(error?.code == .stackUnavailable)
      await building.world.startStack()
      #expect(try await building.central.adapters().count == 2)
      try await building.clock.sleep(for: .seconds(1))
      _ = try await building.connect()
    }
  }

  @Test("equal seeds give equal worlds, different seeds different ones")
  func determinism() async throws {
    let runs = try await [busyHour(seed: 5), busyHour(seed: 5), busyHour(seed: 6)]
    #expect(runs[0].count > 60)
    #expect(runs[0] == runs[1])
    #expect(runs[0] != runs[2])
  }

  /// All writes to 20 sensors, with their times, while two adapters provision them at once.
  private func busyHour(seed: UInt64) async throws -> [WriteRecord] {
    try await Building.run(seed: seed, Array(repeating: [], count: 20)) { (building) async throws in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (offset, adapter) in [Building.adapter, Building.secondAdapter].enumerated() {
          group.addTask {
            for number in stride(from: UInt64(1 + offset), through: 20, by: 2) {
              let session = try await TypedSession(
                try await building.connect(Building.sensor(number), on: adapter))
              try await session.write("Net", nil, "Room \(number)", UInt16(number))
              _ = try await session.save()
            }
          }
        }
        try await group.waitForAll()
      }
      for number in 1...20 as ClosedRange<UInt64> {
        let flash = await building.world.flash(of: Building.sensor(number))
        #expect(flash?.isSaved == true)
        #expect(flash?.minor == UInt16(number))
        #expect(flash?.roomName == "Room \(number)")
      }
      return await building.world.writes
    }
  }
}

extension Building {
  fileprivate func timeToConnect(_ number: UInt64, on adapter: AdapterID) async throws(CentralError)
    -> Duration
  {
    let before = clock.now
    _ = try await central.connect(to: Self.sensor(number), on: adapter)
    return before.duration(to: clock.now)
  }
}
