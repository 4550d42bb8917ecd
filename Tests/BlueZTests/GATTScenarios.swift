import Bluetooth
import DBus
import Testing

@testable import BlueZ

@Suite("GATT through BlueZ", .timeLimit(.minutes(60)))
struct GATTScenarios {
  /// Runs `body` with one adapter that has received one peripheral.
  func stage(_ body: @escaping @Sendable (Stage) async throws -> Void) async throws {
    try await Stage.with {
      await $0.addAdapter()
      await $0.addDevice(Sample.named)
    } _: {
      try await body($0)
    }
  }

  @Test("discovery waits for characteristics that appear after ServicesResolved")
  func late() async throws {
    try await stage { stage in
      let peripheral = try await stage.connect()
      try await withThrowingTaskGroup(of: RemoteService.self) { group in
        group.addTask {
          try await peripheral.discover(Sample.service, requiring: [Sample.status, Sample.command])
        }
        // However long the services take.
        try await stage.central.clock.sleep(for: .seconds(3))
        await stage.daemon.setDevice(["ServicesResolved": .bool(true)])
        // Children also appear before their parent.
        await stage.daemon.addCharacteristic(FakeBlueZ.command, Sample.command)
        await stage.daemon.addService()
        await stage.daemon.addCharacteristic(FakeBlueZ.status, Sample.status)
        let service = try #require(try await group.next())
        #expect(service.characteristics.map(\.uuid) == [Sample.status, Sample.command])
      }
    }
  }

  @Test("an attribute that does not appear within 2 s is missing")
  func missing() async throws {
    try await stage { stage in
      let (peripheral, service) = try await stage.discovered()
      let status = try #require(service[Sample.status])
      let began = stage.central.clock.now
      let noService = await failure { () async throws(CentralError) in
        try await peripheral.discover("180A", requiring: [])
      }
      let noDescriptor = await failure { () async throws(CentralError) in
        try await peripheral.readDescriptor("2901", of: status)
      }
      #expect(noService?.code == .attributeMissing("180A"))
      #expect(noDescriptor?.code == .attributeMissing("2901"))
      #expect(began.duration(to: stage.central.clock.now) == .seconds(4))
    }
  }

  @Test("an attribute whose object BlueZ has removed is missing; with its object the link counts as lost")
  func removed() async throws {
    try await stage { stage in
      let (peripheral, service) = try await stage.discovered()
      await stage.daemon.remove(FakeBlueZ.command)
      let refusal = DBusError.remote("org.freedesktop.DBus.Error.UnknownObject", "gone")
      await stage.daemon.reply(to: "WriteValue") { _ in .failure(refusal) }
      for (uuid, code) in [
        (Sample.command, CentralError.Code.attributeMissing(Sample.command)), (Sample.status, .disconnected),
      ] {
        let characteristic = try #require(service[uuid])
        let error = await failure { () async throws(CentralError) in
          try await peripheral.write([1], to: characteristic, .withResponse)
        }
        #expect(error == CentralError(code, stackText: refusal.description))
      }
    }
  }

  @Test("a discovery of services gives cancelled when it is cancelled", arguments: [true, false])
  func cancelledDiscovery(isResolved: Bool) async throws {
    try await stage { stage in
      let peripheral = try await stage.connect()
      if isResolved { await stage.daemon.setDevice(["ServicesResolved": .bool(true)]) }
      let error = await failure(cancelledAfter: {
        try? await stage.central.clock.sleep(for: .milliseconds(10))
      }) { () async throws(CentralError) in
        try await peripheral.discover(Sample.service, requiring: [])
      }
      #expect(error?.code == .cancelled)
    }
  }

  @Test("a characteristic that exists twice is an error of discovery, so that nothing is written")
  func ambiguous() async throws {
    try await stage { stage in
      let (peripheral, _) = try await stage.discovered()
      await stage.daemon.addCharacteristic(
        "/org/bluez/hci0/dev_C4_7C_8D_00_00_01/service000a/char00ff", Sample.command)
      try await stage.seen()
      let error = await failure { () async throws(CentralError) in
        try await peripheral.discover(Sample.service, requiring: [Sample.command, Sample.status])
      }
      #expect(error?.code == .attributeAmbiguous(Sample.command))
      #expect(await stage.daemon.count("WriteValue") == 0)
    }
  }

  /// An attribute has at most 512 bytes.
  @Test("a value of 1 MiB is cut when it is notified, and an error when it is read")
  func largeValues() async throws {
    try await stage { stage in
      let (peripheral, service) = try await stage.discovered()
      let large = [0x42] + [UInt8](repeating: 0x41, count: 1 << 20)
      await stage.daemon.reply(to: "ReadValue") { _ in .success([.bytes(large)]) }
      let status = try #require(service[Sample.status])
      let error = await failure { () async throws(CentralError) in try await peripheral.read(status) }
      #expect(error?.code == .other && error?.stackText?.contains("1048577 bytes") == true)
      for count in [512, 513] {
        await stage.daemon.reply(to: "ReadValue") { _ in .success([.bytes(Array(large.prefix(count)))]) }
        let read = try? await peripheral.read(status)
        #expect((read == nil) == (count > 512))
      }
      let stream = try await peripheral.notifications(of: status)
      await stage.daemon.notify(large)
      var iterator = stream.makeAsyncIterator()
      let value = await iterator.next()?.value
      #expect(value?.count == 512 && value?.first == 0x42)
    }
  }

  @Test("values are read and written, with and without response")
  func values() async throws {
    try await stage { stage in
      let (peripheral, service) = try await stage.discovered()
      let command = try #require(service[Sample.command])
      await stage.daemon.reply(to: "ReadValue") { call in
        #expect(call.path == FakeBlueZ.command)
        #expect(call.body.map(\.signature.text) == ["a{sv}"])
        return .success([.bytes([0, 0xFF])])
      }
      #expect(try await peripheral.read(command) == [0, 0xFF])
      try await peripheral.write([1, 2], to: command, .withResponse)
      try await peripheral.write([], to: command, .withoutResponse)
      let writes = await stage.daemon.calls.filter { $0.member == "WriteValue" }
      #expect(writes.map(\.path) == [FakeBlueZ.command, FakeBlueZ.command])
      #expect(writes.map { $0.body.first?.asBytes } == [[1, 2], []])
      #expect(writes.map { $0.body.last?.asVardict?["type"]?.asString } == ["request", "command"])
    }
  }

  @Test(
    "an ATT error of the peripheral is passed on, and the link stays up",
    arguments: [
      ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x80", .att(0x80)),
      ("org.bluez.Error.InvalidArguments", "Invalid Length", .att(0x0D)),
      ("org.bluez.Error.NotPermitted", "Write not permitted", .notPermitted),
      ("org.bluez.Error.InProgress", "In Progress", .busy),
      // Usually the error of a lost link, but this link is up.
      ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e", .att(0x0E)),
    ] as [(String, String, CentralError.Code)])
  func refused(name: String, message: String, code: CentralError.Code) async throws {
    try await stage { stage in
      let (peripheral, service) = try await stage.discovered()
      let command = try #require(service[Sample.command])
      await stage.daemon.reply(to: "WriteValue") { _ in .failure(.remote(name, message)) }
      let error = await failure { () async throws(CentralError) in
        try await peripheral.write([1], to: command, .withResponse)
      }
      #expect(error?.code == code)
      #expect(error?.stackText == "\(name): \(message)")
      await stage.daemon.reply(to: "ReadValue") { _ in .success([.bytes([7])]) }
      #expect(try await peripheral.read(command) == [7])
    }
  }

  /// The ways to lose a link during a write: without a reply, or with a reply before BlueZ reports the loss.
  enum Cut: CaseIterable {
    case silently
    case answeredFirst
    case objectRemoved
    case adapterRemoved
    case daemonGone
    case busGone

    func happen(_ stage: Stage) async {
      switch self {
      case .silently, .answeredFirst: await stage.daemon.setDevice(["Connected": .bool(false)])
      case .objectRemoved: await stage.daemon.remove(FakeBlueZ.device)
      case .adapterRemoved: await stage.daemon.remove(FakeBlueZ.adapter)
      case .daemonGone: await stage.daemon.connection.close()
      case .busGone: await stage.bus.stop()
      }
    }

    var cause: Disconnection.Cause {
      switch self {
      case .silently, .answeredFirst, .objectRemoved: .remote
      case .adapterRemoved: .adapterLost
      case .daemonGone, .busGone: .stackLost
      }
    }
  }

  @Test(
    "a link that is lost during a write gives disconnected, also for every later operation",
    arguments: Cut.allCases
  )
  func lostDuringWrite(cut: Cut) async throws {
    try await stage { stage in
      let (peripheral, service) = try await stage.discovered()
      let command = try #require(service[Sample.command])
      await stage.daemon.reply(to: "WriteValue") { _ in
        if cut == .answeredFirst {
          return .failure(.remote("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e"))
        }
        await forever()
        return .success([])
      }
      let error = await withTaskGroup(of: CentralError?.self) { group in
        group.addTask {
          await failure { () async throws(CentralError) in
            try await peripheral.write([1], to: command, .withResponse)
          }
        }
        await stage.daemon.called("WriteValue")
        await cut.happen(stage)
        return await group.next() ?? nil
      }
      #expect(error?.code == .disconnected)
      #expect(await peripheral.disconnection()?.cause == cut.cause)
      #expect(
        await failure { () async throws(CentralError) in try await peripheral.read(command) }?.code
          == .disconnected)
      await peripheral.disconnect()
      #expect(await stage.daemon.count("Disconnect") == 0)
    }
  }

  @Test("an operation whose task is cancelled gives cancelled, and the link stays up")
  func cancelled() async throws {
    try await stage { stage in
      let (peripheral, service) = try await stage.discovered()
      let command = try #require(service[Sample.command])
      await stage.daemon.neverReply(to: "WriteValue")
      let error = await failure(cancelledAfter: { await stage.daemon.called("WriteValue") }) {
        () async throws(CentralError) in
        try await peripheral.write([1], to: command, .withResponse)
      }
      #expect(error?.code == .cancelled)
      await stage.daemon.reply(to: "ReadValue") { _ in .success([.bytes([7])]) }
      #expect(try await peripheral.read(command) == [7])
    }
  }

  @Test("notifications arrive with their instant, in order, and end with the link")
  func notifications() async throws {
    try await stage { stage in
      let (peripheral, service) = try await stage.discovered()
      let status = try #require(service[Sample.status])
      // The first value arrives before the reply.
      await stage.daemon.reply(to: "StartNotify") { [daemon = stage.daemon] _ in
        await daemon.notify([1])
        return .success([])
      }
      let before = stage.central.clock.now
      let stream = try await peripheral.notifications(of: status)
      await stage.daemon.notify([2])
      await stage.daemon.setDevice(["Connected": .bool(false)])
      var values: [[UInt8]] = []
      var last = before
      for await notification in stream {
        values.append(notification.value)
        #expect(notification.receivedAt >= last)
        last = notification.receivedAt
      }
      #expect(values == [[1], [2]])
      let end = try #require(await peripheral.disconnection())
      #expect(end.at >= last)
    }
  }

  @Test("of the values that nobody reads, the newest 256 stay")
  func unread() async throws {
    try await stage { stage in
      let (peripheral, service) = try await stage.discovered()
      let stream = try await peripheral.notifications(of: try #require(service[Sample.status]))
      for number in 0...256 { await stage.daemon.notify([UInt8(number / 256), UInt8(number % 256)]) }
      await stage.daemon.setDevice(["Connected": .bool(false)])
      _ = await peripheral.disconnection()
      var values: [[UInt8]] = []
      for await notification in stream { values.append(notification.value) }
      #expect(values.count == 256 && values.first == [0, 1] && values.last == [1, 0])
    }
  }

  @Test(
    "a characteristic of another link is not accepted, nor the device itself",
    arguments: ["", "x", "/", "/org/bluez/hci1/dev_1/char1", FakeBlueZ.device.text])
  func foreign(handle: String) async throws {
    try await stage { stage in
      let (peripheral, _) = try await stage.discovered()
      let foreign = RemoteCharacteristic(uuid: Sample.command, handle: handle)
      let error = await failure { () async throws(CentralError) in try await peripheral.read(foreign) }
      #expect(error?.code == .attributeMissing(Sample.command))
      #expect(await stage.daemon.count("ReadValue") == 0)
    }
  }
}
