import Bluetooth
import DBus
import EventLoop
import Testing

@testable import BlueZ

/// A hall, or whoever owns the bus name, with more devices than a building has: each report costs the same, and what is
/// kept has a limit.
@Suite("Scanning among very many devices", .timeLimit(.minutes(60)))
struct FloodScenarios {
  private static let count = 3 * Discovery.mostDoubtful

  private static func path(_ number: Int) -> ObjectPath {
    ObjectTree.devicePath(BluetoothAddress(rawValue: UInt64(number)), under: FakeBlueZ.adapter)
  }

  /// A device that BlueZ has in storage.
  private static func stored(_ number: Int) -> ObjectTree.Interfaces {
    [Name.Interface.device: ["Address": .string(BluetoothAddress(rawValue: UInt64(number)).description)]]
  }

  @Test("of very many stored devices that are received, a limited number waits for its removal")
  func removals() async throws {
    try await Stage.with { stage in
      await stage.daemon.neverReply(to: "RemoveDevice")
      try await stage.central.scan(on: Sample.adapter) { stream throws(CentralError) in
        for number in 1...Self.count {
          await stage.daemon.add(Self.path(number), Self.stored(number))
          await stage.daemon.change(Self.path(number), Name.Interface.device, ["RSSI": .int16(-50)])
        }
        _ = try? await stage.seen()
        let waiting = await stage.central.discoveries[FakeBlueZ.adapter]?.doubtful.count
        #expect(waiting == 1024)
      }
    }
  }

  @Test("the reports of each device are counted only at the start of a scan")
  func counted() async throws {
    try await Stage.with { stage in
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in
        for count in [1, nil] {
          await stage.daemon.addDevice(Sample.named)
          _ = try? await stage.seen()
          let discovery = await stage.central.discoveries[FakeBlueZ.adapter]
          #expect(discovery != nil)
          #expect(discovery?.reports?.count == count)
          try? await stage.central.clock.sleep(for: .seconds(1))
        }
      }
    }
  }

  @Test("nothing stays known of a device whose object is gone: random addresses change for ever")
  func gone() async throws {
    try await Stage.with { stage in
      await stage.daemon.addDevice(Sample.named)
      try await stage.seen()
      #expect(await stage.central.receivedContent.count == 1)
      await stage.daemon.remove(FakeBlueZ.device)
      try await stage.seen()
      #expect(await stage.central.receivedContent.isEmpty)
    }
  }

  @Test("what BlueZ reports of a device is passed on, and does not stay in the copy of its objects")
  func passedOn() async throws {
    try await Stage.with { stage in
      try await stage.central.scan(on: Sample.adapter) { stream throws(CentralError) in
        await stage.daemon.addDevice(Sample.beaconData)
        var advertisements = stream.makeAsyncIterator()
        let received = try await advertisements.next()
        #expect(received?.manufacturerData.isEmpty == false)
        let kept = await stage.central.tree.device(FakeBlueZ.device)
        #expect(kept?.keys.sorted() == ["Address", "Connected", "RSSI"])
      }
    }
  }

  @Test(
    "a limited number of objects is kept: adapters first, and places remain for the attributes of devices")
  func objects() throws {
    let second: ObjectPath = "/org/bluez/hci1"
    let devices = (1...(ObjectTree.mostDevices + 10)).map(Self.path)
    var snapshot = Dictionary(
      uniqueKeysWithValues: devices.map { ($0, [Name.Interface.device: Properties()]) })
    snapshot[FakeBlueZ.adapter] = [Name.Interface.adapter: [:]]
    snapshot[second] = [Name.Interface.adapter: [:]]
    var tree = ObjectTree()
    tree.apply(.snapshot(snapshot))
    #expect(tree.adapterPaths == [FakeBlueZ.adapter, second])
    #expect(tree.devices(under: FakeBlueZ.adapter) == Array(devices.prefix(ObjectTree.mostDevices - 2)))
    for number in 0..<10_010 {
      let service = try #require(devices[0].appending("service\(number)"))
      tree.apply(.added(service, [Name.Interface.gattService: [:]]))
    }
    #expect(tree.children(of: devices[0], with: Name.Interface.gattService).count == 10_000)
  }

  @Test("a record of a removal is dropped after its interval, however many there are")
  func records() {
    var slates = CleanSlates()
    for second in 0..<100 {
      for number in 0..<1000 {
        let isGranted = slates.grants(
          Self.path(second * 1000 + number), [:], at: MonotonicInstant(sinceZero: .seconds(second)))
        #expect(isGranted)
      }
    }
    #expect(slates.recordCount == 20_000)
  }
}
