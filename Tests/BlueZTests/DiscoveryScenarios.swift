import Bluetooth
import DBus
import EventLoop
import Testing

@testable import BlueZ

@Suite("Scanning through BlueZ", .timeLimit(.minutes(60)))
struct DiscoveryScenarios {
  static let ofInterest: Set<MemberName> = ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"]

  @Test("discovery runs without a filter while the body runs, and passes on advertisements")
  func received() async throws {
    try await Stage.with { stage in
      try await stage.central.scan(on: Sample.adapter) { stream throws(CentralError) in
        await stage.daemon.addDevice(Sample.named)
        var advertisement = stream.makeAsyncIterator()
        let received = try await advertisement.next()
        #expect(received?.address == Sample.address)
        #expect(received?.adapter == Sample.adapter)
        #expect(received?.localName == "Robo Sensor")
        #expect(received?.rssi == -60)
        #expect(await stage.daemon.count("StopDiscovery") == 0)
      }
      #expect(
        await stage.daemon.members(Self.ofInterest) == [
          "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery",
        ])
      let filter = await stage.daemon.calls.first { $0.member == "SetDiscoveryFilter" }?.body.first?.asVardict
      #expect(filter == ["Transport": .string("le"), "DuplicateData": .bool(true), "RSSI": .int16(-127)])
    }
  }

  @Test(
    "a random address that is not static is one that changes",
    arguments: [
      ("C4:7C:8D:00:00:01", "random", false), ("44:7C:8D:00:00:01", "random", true),
      ("04:7C:8D:00:00:01", "random", true), ("44:7C:8D:00:00:01", "public", false),
    ])
  func changingAddress(address: String, type: String, isChanging: Bool) async throws {
    try await Stage.with { stage in
      try await stage.central.scan(on: Sample.adapter) { stream throws(CentralError) in
        await stage.daemon.addDevice(
          Sample.named.merging(["Address": .string(address), "AddressType": .string(type)]) { $1 })
        var advertisement = stream.makeAsyncIterator()
        let received = try await advertisement.next()
        #expect(received?.hasChangingAddress == isChanging)
        #expect(received?.address.description == address)
      }
    }
  }

  @Test("two concurrent scans share one discovery")
  func shared() async throws {
    try await Stage.with { stage in
      try await stage.central.scan(on: Sample.adapter) { outer throws(CentralError) in
        try await stage.central.scan(on: Sample.adapter) { inner throws(CentralError) in
          await stage.daemon.addDevice(Sample.named)
          var advertisement = inner.makeAsyncIterator()
          #expect(try await advertisement.next()?.localName == "Robo Sensor")
        }
        #expect(await stage.daemon.count("StopDiscovery") == 0)
        await stage.daemon.setDevice(["RSSI": .int16(-50)])
        var advertisement = outer.makeAsyncIterator()
        #expect(try await advertisement.next()?.rssi == -60)
        #expect(try await advertisement.next()?.rssi == -50)
      }
      #expect(await stage.daemon.count("StartDiscovery") == 1)
      #expect(await stage.daemon.count("StopDiscovery") == 1)
    }
  }

  @Test("a discovery that a lost stop left behind is stopped first")
  func leftBehind() async throws {
    try await Stage.with { stage in
      await stage.daemon.reply(to: "StartDiscovery") { [daemon = stage.daemon] _ in
        await daemon.count("StopDiscovery") == 0
          ? .failure(.remote("org.bluez.Error.InProgress", "Operation already in progress")) : .success([])
      }
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in }
      #expect(await stage.daemon.count("StartDiscovery") == 2)
    }
  }

  @Test("a discovery that BlueZ cannot stop any more is restarted with another filter")
  func unstoppable() async throws {
    try await Stage.with { stage in
      for member in ["StartDiscovery", "StopDiscovery"] as [MemberName] {
        await stage.daemon.reply(to: member) { _ in
          .failure(.remote("org.bluez.Error.InProgress", "Operation already in progress"))
        }
      }
      for _ in 0..<3 {
        try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in }
      }
      #expect(
        await stage.daemon.filters
          == [-127, -126, -125, -124, -123, -122, -121, -120, -127, -126, -125, -124])
      #expect(await stage.daemon.calls.last?.member == "StopDiscovery")
    }
  }

  @Test("BlueZ has 5 s to stop a discovery, and one that it does not stop still counts as this client's")
  func silentStop() async throws {
    try await Stage.with { stage in
      let clock = stage.central.clock
      await stage.daemon.neverReply(to: "StopDiscovery")
      await stage.daemon.reply(to: "StartDiscovery") { [daemon = stage.daemon] _ in
        guard await daemon.count("StartDiscovery") > 1 else {
          return .failure(.remote("org.bluez.Error.InProgress"))
        }
        await daemon.setAdapter(["Discovering": .bool(true)])
        return .success([])
      }
      let began = clock.now
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in
        #expect(began.duration(to: clock.now) == .milliseconds(5250))
      }
      #expect(began.duration(to: clock.now) == .milliseconds(10_250))
      try await clock.sleep(for: ForeignScans.echo)
      #expect(try await stage.central.adapters().map(\.isScannedByOthers) == [false])
    }
  }

  @Test("a scan waits while another scan of its adapter starts or stops")
  func waiting() async throws {
    try await Stage.with { stage in
      let clock = stage.central.clock
      for member in ["StartDiscovery", "StopDiscovery"] as [MemberName] {
        await stage.daemon.reply(to: member) { _ in
          try? await clock.sleep(for: .seconds(1))
          return .success([])
        }
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        // The second begins while the first one starts, the third while both stop.
        for start in [0, 500, 3500] {
          group.addTask {
            try await clock.sleep(for: .milliseconds(start))
            try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in
              try? await clock.sleep(for: .seconds(2))
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(
        await stage.daemon.members(["StartDiscovery", "StopDiscovery"])
          == ["StartDiscovery", "StopDiscovery", "StartDiscovery", "StopDiscovery"])
    }
  }

  @Test("a scan that waits for another scan to start ends when it is cancelled")
  func cancelledWait() async throws {
    try await Stage.with { stage in
      await stage.daemon.neverReply(to: "StartDiscovery")
      await withTaskGroup(of: CentralError?.self) { group in
        for _ in 0..<2 {
          group.addTask {
            await failure { () async throws(CentralError) in
              try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in }
            }
          }
        }
        await stage.daemon.called("StartDiscovery")
        try? await stage.central.clock.sleep(for: .milliseconds(10))
        group.cancelAll()
        for await error in group { #expect(error?.code == .cancelled) }
      }
      #expect(await stage.daemon.count("StartDiscovery") == 1)
    }
  }

  @Test("reports between the call that starts a discovery and its reply are reports of this discovery")
  func reportedAtStart() async throws {
    try await Stage.with { stage in
      await letRemove(stage.daemon)
      await stage.daemon.reply(to: "StartDiscovery") { [daemon = stage.daemon] _ in
        await daemon.addDevice(Sample.beaconData)
        await daemon.setDevice(["RSSI": .int16(-50)])
        return .success([])
      }
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in
        try? await stage.central.clock.sleep(for: .seconds(1))
      }
      #expect(await stage.daemon.count("RemoveDevice") == 1, "the second one lacks the beacon")
    }
  }

  @Test("a report that arrives while a failed scan is being stopped delays no removal")
  func reportedAtEnd() async throws {
    try await Stage.with {
      await $0.addAdapter()
      // From storage.
      await $0.addDevice()
    } _: { stage in
      await stage.daemon.refuse("StartDiscovery", "org.bluez.Error.Failed", "")
      await stage.daemon.reply(to: "StopDiscovery") { [daemon = stage.daemon] _ in
        await daemon.setDevice(["RSSI": .int16(-50)])
        return .success([])
      }
      let error = await failure { () async throws(CentralError) in
        try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in }
      }
      #expect(error != nil)
      await stage.daemon.reply(to: "StartDiscovery") { _ in .success([]) }
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in
        await stage.daemon.setDevice(["RSSI": .int16(-60)])
        try? await stage.central.clock.sleep(for: .seconds(1))
      }
      // Before each start, and in the second scan.
      #expect(await stage.daemon.count("RemoveDevice") == 3)
    }
  }

  @Test("the content of an object that appears before BlueZ replies with the list of all objects is known")
  func duringList() async throws {
    try await Stage.with { daemon in
      await daemon.addAdapter()
      await daemon.reply(to: "GetManagedObjects") { [daemon] _ in
        await daemon.addDevice(Sample.named)
        return .success([await daemon.managedObjects])
      }
    } _: { stage in
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in }
      #expect(await stage.daemon.count("RemoveDevice") == 0)
    }
  }

  @Test(
    "a scan that cannot start throws the reason",
    arguments: [
      (["Powered": .bool(false)], .adapterUnavailable(.poweredOff)),
      (["Powered": .bool(false), "PowerState": .string("off-blocked")], .adapterUnavailable(.blocked)),
    ] as [(Properties, CentralError.Code)])
  func unavailable(properties: Properties, code: CentralError.Code) async throws {
    try await Stage.with {
      await $0.addAdapter(properties)
    } _: { stage in
      let error = await failure { () async throws(CentralError) in
        try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in }
      }
      #expect(error?.code == code)
      #expect(await stage.daemon.count("StartDiscovery") == 0)
    }
  }

  /// The losses that end a discovery, and the resulting error of the stream.
  enum Loss: CaseIterable {
    case unplugged
    case poweredOff
    case daemonGone
    case busGone

    var code: CentralError.Code {
      switch self {
      case .unplugged: .adapterUnavailable(.absent)
      case .poweredOff: .adapterUnavailable(.poweredOff)
      case .daemonGone: .stackUnavailable
      case .busGone: .busUnavailable
      }
    }

    func happen(_ stage: Stage) async {
      switch self {
      case .unplugged: await stage.daemon.remove(FakeBlueZ.adapter)
      case .poweredOff: await stage.daemon.setAdapter(["Powered": .bool(false)])
      case .daemonGone: await stage.daemon.connection.close()
      case .busGone: await stage.bus.stop()
      }
    }
  }

  @Test("the stream ends with the reason when adapter, daemon or bus is lost", arguments: Loss.allCases)
  func lost(loss: Loss) async throws {
    try await Stage.with { stage in
      let error = await failure { () async throws(CentralError) in
        try await stage.central.scan(on: Sample.adapter) { stream throws(CentralError) in
          await loss.happen(stage)
          for try await _ in stream {}
        }
      }
      #expect(error?.code == loss.code)
    }
  }

  @Test("after the stop nothing is reported, even if another client is discovering")
  func afterStop() async throws {
    try await Stage.with { stage in
      let left = try await stage.central.scan(on: Sample.adapter) { stream throws(CentralError) in stream }
      await stage.daemon.addDevice(Sample.named)
      // When the adapter's change is seen, so is the device, which precedes it on the wire.
      await stage.daemon.setAdapter(["Powered": .bool(false)])
      for await adapters in await stage.central.adapterChanges() where adapters[0].state == .poweredOff {
        break
      }
      let empty = await withTaskGroup(of: Advertisement?.self) { group in
        group.addTask {
          var advertisement = left.makeAsyncIterator()
          return try? await advertisement.next()
        }
        group.cancelAll()
        return await group.next() ?? nil
      }
      #expect(empty == nil)
    }
  }

  @Test("a sensor that becomes a beacon is never reported with its old name and its new data")
  func newBeacon() async throws {
    try await Stage.with { stage in
      await stage.daemon.reply(to: "RemoveDevice") { [daemon = stage.daemon] _ in
        await daemon.remove(FakeBlueZ.device)
        await daemon.addDevice(Sample.named)
        return .success([])
      }
      // It existed before, so it is in doubt.
      await stage.daemon.addDevice(["Name": .string("Other")])
      try await stage.seen()
      try await stage.central.scan(on: Sample.adapter) { stream throws(CentralError) in
        var advertisement = stream.makeAsyncIterator()
        // It was removed, and the first report created it again.
        #expect(try await advertisement.next()?.localName == "Robo Sensor")
        // After provisioning it is a beacon, although BlueZ still has its name.
        await stage.daemon.setDevice(Sample.beaconData)
        let beacon = try await advertisement.next()
        #expect(beacon?.localName == nil)
        #expect(beacon?.iBeacon == Sample.beacon)
        // Back in provisioning mode it sends no data.
        await stage.daemon.setDevice(["RSSI": .int16(-55)])
        let doubtful = try await advertisement.next()
        #expect(doubtful?.rssi == -55)
        #expect(doubtful?.localName == nil)
        #expect(doubtful?.manufacturerData == [:])
        // It is in doubt, so it is removed as well.
        #expect(try await advertisement.next()?.localName == "Robo Sensor")
      }
    }
  }

  /// A device with the given number, which the daemon removes on request.
  private func device(_ number: Int) -> (path: ObjectPath, address: DBusValue) {
    let last = String(number, radix: 16, uppercase: true)
    guard let path = ObjectPath("/org/bluez/hci0/dev_C4_7C_8D_00_01_0\(last)") else {
      preconditionFailure("not a path: \(number)")
    }
    return (path, .string("C4:7C:8D:00:01:0\(last)"))
  }

  private func letRemove(_ daemon: FakeBlueZ) async {
    await daemon.reply(to: "RemoveDevice") { [daemon] call in
      if let path = call.body.first?.asObjectPath { await daemon.remove(path) }
      return .success([])
    }
  }

  @Test("objects with uncertain content that no client uses are removed before the scan starts")
  func cleanSlate() async throws {
    try await Stage.with { stage in
      await letRemove(stage.daemon)
      let objects: [(Int, Properties)] = [
        (1, ["Name": .string("Robo Sensor"), "RSSI": .int16(-60)]), (2, ["Name": .string("Robo Sensor")]),
        (3, ["Paired": .bool(true)]), (4, ["Connected": .bool(true)]), (5, Sample.beaconData),
      ]
      for (number, properties) in objects {
        let (path, address) = device(number)
        await stage.daemon.add(
          path, [Name.Interface.device: properties.merging(["Address": address]) { $1 }])
      }
      // Only this client's own scan makes sure that a report without data is one.
      await stage.daemon.change(device(5).path, Name.Interface.device, ["RSSI": .int16(-50)])
      // The first and the last were created while this client observed them; the others come from storage.
      try await stage.seen()
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in }
      let calls = await stage.daemon.calls
      let removed = calls.filter { $0.member == "RemoveDevice" }.compactMap { $0.body.first?.asObjectPath }
      #expect(removed == [device(2).path])
      let members = await stage.daemon.members(Self.ofInterest.union(["RemoveDevice"]))
      #expect(members.first == "RemoveDevice")

      // For another client all of them existed before.
      let other = try await BlueZCentral.open(bus: stage.bus.busAddress, clock: SystemClock())
      try await other.scan(on: Sample.adapter) { _ throws(CentralError) in }
      await other.close()
      let all = await stage.daemon.calls.filter { $0.member == "RemoveDevice" }
      #expect(all.compactMap { $0.body.first?.asObjectPath } == [2, 1, 5].map { device($0).path })
    }
  }

  @Test("the removal of objects delays a scan only for a limited time")
  func slowRemoval() async throws {
    try await Stage.with { stage in
      await stage.daemon.neverReply(to: "RemoveDevice")
      let (path, address) = device(1)
      await stage.daemon.add(path, [Name.Interface.device: ["Address": address]])
      try await stage.seen()
      for times in 1...2 {
        try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in }
        #expect(await stage.daemon.count("StartDiscovery") == times)
        #expect(await stage.daemon.count("RemoveDevice") == times, "an answer that is missing is no refusal")
      }
    }
  }

  @Test("an object that BlueZ refuses to remove is left alone until a back-off, which doubles, has ended")
  func refusedRemovals() async throws {
    try await Stage.with { stage in
      await stage.daemon.reply(to: "RemoveDevice") { _ in .failure(.remote("org.bluez.Error.Failed", "busy"))
      }
      let (path, address) = device(1)
      await stage.daemon.add(path, [Name.Interface.device: ["Address": address]])
      try await stage.seen()
      var requests: [Int] = []
      for pause in [Duration.zero, .zero, RefusedRemovals.firstPause, RefusedRemovals.firstPause] {
        try await stage.central.clock.sleep(for: pause)
        try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in }
        requests.append(await stage.daemon.count("RemoveDevice"))
      }
      #expect(requests == [1, 1, 2, 2])
      // A new object is no longer the one that was refused.
      await stage.daemon.remove(path)
      await stage.daemon.add(path, [Name.Interface.device: ["Address": address]])
      try await stage.seen()
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in }
      #expect(await stage.daemon.count("RemoveDevice") == 3)
    }
  }

  @Test("objects that come into doubt are removed, and the scan is restarted for all of them, once a second")
  func restart() async throws {
    try await Stage.with { stage in
      await letRemove(stage.daemon)
      try await stage.central.scan(on: Sample.adapter) { stream throws(CentralError) in
        var times: [MonotonicInstant] = []
        for (numbers, count) in [(1...3, 2), (4...4, 3)] {
          for number in numbers {
            let (path, address) = device(number)
            await stage.daemon.add(
              path, [Name.Interface.device: Sample.beaconData.merging(["Address": address]) { $1 }])
          }
          for number in numbers {
            await stage.daemon.change(device(number).path, Name.Interface.device, ["RSSI": .int16(-50)])
          }
          await stage.daemon.called("SetDiscoveryFilter", times: count)
          #expect(await stage.daemon.count("RemoveDevice") == numbers.upperBound)
          times.append(stage.central.clock.now)
        }
        #expect(times[0].duration(to: times[1]) == .seconds(1))
        try? await stage.central.clock.sleep(for: .seconds(3))
      }
      #expect(await stage.daemon.filters == [-127, -126, -125])
    }
  }

  @Test("the scan is not restarted if the controller reports the removed devices again")
  func noRestart() async throws {
    try await Stage.with { stage in
      await stage.daemon.reply(to: "RemoveDevice") { [daemon = stage.daemon] _ in
        await daemon.remove(FakeBlueZ.device)
        await daemon.addDevice(Sample.named)
        return .success([])
      }
      try await stage.central.scan(on: Sample.adapter) { stream throws(CentralError) in
        await stage.daemon.addDevice(Sample.beaconData)
        await stage.daemon.setDevice(["RSSI": .int16(-50)])
        await stage.daemon.called("RemoveDevice")
        await stage.daemon.setDevice(["RSSI": .int16(-51)])
        try? await SystemClock().sleep(for: .seconds(1))
      }
      #expect(await stage.daemon.count("SetDiscoveryFilter") == 1)
    }
  }

  @Test(
    "the scan starts twice if the controller reports each device at most twice: BlueZ loses the first reports",
    arguments: [(2, [-127, -126]), (3, [-127])] as [(Int16, [Int16])])
  func startedTwice(reports: Int16, expected: [Int16]) async throws {
    try await Stage.with { stage in
      try await stage.central.scan(on: Sample.adapter) { stream throws(CentralError) in
        await stage.daemon.addDevice(Sample.named)
        for number in 1..<reports { await stage.daemon.setDevice(["RSSI": .int16(-50 - number)]) }
        try? await SystemClock().sleep(for: .seconds(1))
      }
      #expect(await stage.daemon.filters == expected)
    }
  }

  /// 200 devices: bluetoothd takes seconds for the reports of one start.
  @Test("the scan is not started a second time while reports of the first start arrive")
  func notStartedTwiceAtOnce() async throws {
    try await Stage.with { stage in
      let clock = stage.central.clock
      try await stage.central.scan(on: Sample.adapter) { stream throws(CentralError) in
        for number in 0..<20 {
          await stage.daemon.add(
            ObjectPath("/org/bluez/hci0/dev_\(number)") ?? FakeBlueZ.device,
            [
              Name.Interface.device: [
                "Address": .string("C4:7C:8D:00:01:\(10 + number)"), "Name": .string("Robo Sensor"),
                "RSSI": .int16(-50),
              ]
            ])
          try? await clock.sleep(for: .milliseconds(100))
        }
        #expect(await stage.daemon.count("SetDiscoveryFilter") == 1)
        try? await clock.sleep(for: .seconds(1))
        #expect(await stage.daemon.count("SetDiscoveryFilter") == 2)
      }
    }
  }

  @Test("the discoveries of several adapters start one after the other")
  func startsInTurn() async throws {
    try await Stage.with { stage in
      let clock = stage.central.clock
      let second = AdapterID(BluetoothAddress(rawValue: 0x00AA_0100_0043))
      await stage.daemon.add(
        "/org/bluez/hci1",
        [Name.Interface.adapter: ["Address": .string(second.description), "Powered": .bool(true)]])
      try await stage.seen()
      let began = clock.now
      try await withThrowingTaskGroup(of: MonotonicInstant.self) { group in
        for adapter in [Sample.adapter, second] {
          group.addTask {
            try await stage.central.scan(on: adapter) { _ throws(CentralError) in clock.now }
          }
        }
        let starts = try await group.reduce(into: []) { $0.append($1) }.sorted()
        #expect(began.duration(to: starts[0]) < BlueZCentral.startInterval)
        #expect(starts[0].duration(to: starts[1]) >= BlueZCentral.startInterval / 2)
      }
    }
  }

  @Test("objects that the user has paired, trusted or blocked are not removed")
  func trusted() async throws {
    try await Stage.with { stage in
      await stage.daemon.addDevice(["Name": .string("Keyboard"), "Paired": .bool(true)])
      try await stage.seen()
      try await stage.central.scan(on: Sample.adapter) { stream throws(CentralError) in
        await stage.daemon.setDevice(["RSSI": .int16(-40)])
        var advertisement = stream.makeAsyncIterator()
        let received = try await advertisement.next()
        #expect(received?.rssi == -40)
        #expect(received?.localName == nil)
        #expect(received?.contentFailure?.stackText?.hasPrefix("Paired: /org/bluez/hci0/dev_") == true)
        // The content of a new one is known.
        let (path, address) = device(1)
        let new = Sample.named.merging(["Address": address, "Trusted": .bool(true)]) { $1 }
        await stage.daemon.add(path, [Name.Interface.device: new])
        let known = try await advertisement.next()
        #expect(known?.localName == "Robo Sensor" && known?.contentFailure == nil)
      }
      #expect(await stage.daemon.count("RemoveDevice") == 0)
    }
  }
}
