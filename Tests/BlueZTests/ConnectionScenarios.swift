import Bluetooth
import DBus
import EventLoop
import Testing

@testable import BlueZ

@Suite("Connecting through BlueZ", .timeLimit(.minutes(60)))
struct ConnectionScenarios {
  static let ofInterest: Set<MemberName> = ["Connect", "Disconnect"]

  /// Runs `body` with one adapter that has received one peripheral.
  func stage(_ body: @escaping @Sendable (Stage) async throws -> Void) async throws {
    try await Stage.with {
      await $0.addAdapter()
      await $0.addDevice(Sample.named)
    } _: {
      try await body($0)
    }
  }

  func connect(_ stage: Stage, to address: BluetoothAddress = Sample.address) async -> CentralError? {
    await failure { () async throws(CentralError) in
      try await stage.central.connect(to: address, on: Sample.adapter)
    }
  }

  /// Connects in a separate task, and cancels that task when `moment` returns.
  func connect(
    _ stage: Stage, to address: BluetoothAddress = Sample.address,
    cancelledAfter moment: @Sendable () async -> Void
  ) async -> CentralError? {
    await failure(cancelledAfter: moment) { () async throws(CentralError) in
      try await stage.central.connect(to: address, on: Sample.adapter)
    }
  }

  private static let second = BluetoothAddress(rawValue: 0xC47C_8D00_0002)

  /// The adapter has received a second peripheral, too.
  private func addSecond(_ stage: Stage) async {
    await stage.daemon.add(
      "/org/bluez/hci0/dev_C4_7C_8D_00_00_02",
      [Name.Interface.device: ["Address": .string(Self.second.description), "Connected": .bool(false)]])
  }

  /// Runs `body` while the link to the first peripheral is about to be ended. It ends when `body` returns.
  private func whileEnding(
    _ stage: Stage, _ body: (inout TaskGroup<Void>) async -> Void
  ) async throws {
    let first = try await stage.connect()
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    await stage.daemon.reply(to: "Disconnect") { [daemon = stage.daemon] _ in
      for await _ in ended {}
      await daemon.setDevice(["Connected": .bool(false)])
      return .success([])
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await first.disconnect() }
      await stage.daemon.called("Disconnect")
      try? await SystemClock().sleep(for: BlueZCentral.graceOfEnding)
      await body(&group)
      end.finish()
    }
  }

  @Test("a connection attempt returns when the link is up, and the link ends when the peripheral disconnects")
  func linkUp() async throws {
    try await stage { stage in
      let peripheral = try await stage.connect()
      #expect(peripheral.address == Sample.address)
      #expect(peripheral.adapter == Sample.adapter)
      // Neither another adapter nor another interface of the device has to do with the link.
      let other: ObjectPath = "/org/bluez/hci1"
      await stage.daemon.add(
        other, [Name.Interface.adapter: ["Address": .string("00:AA:01:00:00:43"), "Powered": .bool(true)]])
      await stage.central.take(.removed(FakeBlueZ.device, ["org.bluez.Battery1"]))
      #expect(await stage.central.links[FakeBlueZ.device] != nil)
      await stage.daemon.setDevice(["Connected": .bool(false)])
      await stage.daemon.remove(other)
      #expect(await peripheral.disconnection()?.cause == .remote)
      #expect(await stage.daemon.members(Self.ofInterest) == ["Connect"])
    }
  }

  @Test("cancelling a Connect without a reply sends Disconnect, which ends the attempt")
  func connectWithoutReply() async throws {
    try await stage { stage in
      let (hung, disconnect) = AsyncStream.makeStream(of: Void.self)
      await stage.daemon.reply(to: "Connect") { _ in
        for await _ in hung {}
        return .failure(.remote("org.bluez.Error.Failed", "br-connection-canceled"))
      }
      await stage.daemon.reply(to: "Disconnect") { _ in
        disconnect.finish()
        return .success([])
      }
      let error = await connect(stage) { await stage.daemon.called("Connect") }
      #expect(error?.code == .cancelled)
      #expect(await stage.daemon.members(Self.ofInterest) == ["Connect", "Disconnect"])
    }
  }

  @Test("no link remains if the cancellation coincides with the success")
  func lateCancellation() async throws {
    try await stage { stage in
      let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
      await stage.daemon.reply(to: "Connect") { [daemon = stage.daemon] _ in
        await daemon.setDevice(["Connected": .bool(true)])
        cancel.finish()
        return .success([])
      }
      await stage.daemon.reply(to: "Disconnect") { [daemon = stage.daemon] _ in
        await daemon.setDevice(["Connected": .bool(false)])
        return .success([])
      }
      let error = await connect(stage) { for await _ in cancelled {} }
      // Either the cancellation came first and everything was undone, or the success did and the caller has
      // the link.
      #expect(error == nil || error?.code == .cancelled)
      #expect(await stage.daemon.isConnected == (error == nil))
    }
  }

  @Test(
    "an attempt that a terminated program left behind is ended once",
    arguments: [
      DBusError.remote("org.bluez.Error.Failed", "Operation already in progress"),
      DBusError.remote("org.bluez.Error.InProgress", "In Progress"),
    ])
  func leftBehind(refusal: DBusError) async throws {
    try await stage { stage in
      await stage.daemon.reply(to: "Connect") { [daemon = stage.daemon] _ in
        guard await daemon.count("Disconnect") > 0 else { return .failure(refusal) }
        await daemon.setDevice(["Connected": .bool(true)])
        return .success([])
      }
      _ = try await stage.central.connect(to: Sample.address, on: Sample.adapter)
      #expect(await stage.daemon.members(Self.ofInterest) == ["Connect", "Disconnect", "Connect"])
    }
    try await stage { stage in
      await stage.daemon.reply(to: "Connect") { _ in .failure(refusal) }
      #expect(await connect(stage)?.code == .busy)
      #expect(await stage.daemon.members(Self.ofInterest) == ["Connect", "Disconnect", "Connect"])
    }
  }

  @Test("a peripheral that BlueZ does not know (any more) must be received again")
  func unknown() async throws {
    try await Stage.with { stage in
      let error = await connect(stage)
      #expect(error?.code == .peripheralUnknown)
      #expect(error?.stackText == "no object for this device: BlueZ has removed it")
      #expect(await stage.daemon.count("Connect") == 0)
    }
    // The object was removed while the call was on its way: the signal arrives first, and the reply has the
    // reason.
    let refusal = #"Method "Connect" with signature "" on interface "org.bluez.Device1" doesn't exist"#
    try await stage { stage in
      await stage.daemon.reply(to: "Connect") { [daemon = stage.daemon] _ in
        await daemon.remove(FakeBlueZ.device)
        return .failure(.remote("org.freedesktop.DBus.Error.UnknownObject", refusal))
      }
      let error = await connect(stage)
      #expect(error?.code == .peripheralUnknown)
      #expect(error?.stackText == "org.freedesktop.DBus.Error.UnknownObject: " + refusal)
    }
  }

  @Test(
    "an attempt that expires in the kernel without a reply of BlueZ gives connectFailed",
    arguments: [
      (4100, 0, CentralError.Code.connectFailed), (20_100, 3, .connectFailed), (900, 0, .peripheralUnknown),
      (300, 3, .outOfSlots), (3499, 1, .outOfSlots), (3500, 1, .connectFailed),
    ])
  func givenUp(milliseconds: Int, links: Int, code: CentralError.Code) {
    #expect(BlueZCentral.objectRemoved(after: .milliseconds(milliseconds), beside: links).code == code)
  }

  @Test("an object that is removed before the kernel's attempt can expire gives peripheralUnknown")
  func removedDuringConnect() async throws {
    try await stage { stage in
      await stage.daemon.reply(to: "Connect") { [daemon = stage.daemon] _ in
        await daemon.remove(FakeBlueZ.device)
        await forever()
        return .success([])
      }
      let error = await connect(stage)
      #expect(error?.code == .peripheralUnknown)
      #expect(error?.stackText?.contains("without answering Connect") == true)
    }
  }

  @Test(
    "an attempt fails with the adapter's or the stack's reason if these are gone",
    arguments: [DiscoveryScenarios.Loss.unplugged, .poweredOff, .daemonGone, .busGone])
  func lost(loss: DiscoveryScenarios.Loss) async throws {
    try await stage { stage in
      await stage.daemon.reply(to: "Connect") { _ in
        await loss.happen(stage)
        return .failure(.remote("org.bluez.Error.Failed", "Input/output error"))
      }
      #expect(await connect(stage)?.code == loss.code)
    }
    // Before BlueZ answers.
    try await stage { stage in
      await stage.daemon.neverReply(to: "Connect")
      await withTaskGroup(of: Void.self) { group in
        group.addTask { #expect(await connect(stage)?.code == loss.code) }
        await stage.daemon.called("Connect")
        await loss.happen(stage)
      }
    }
  }

  @Test("an attempt fails with the adapter's reason even if the device is removed just before the adapter")
  func removedBeforeAdapter() async throws {
    try await stage { stage in
      await stage.daemon.reply(to: "Connect") { _ in
        await stage.daemon.remove(FakeBlueZ.device)
        try? await SystemClock().sleep(for: BlueZPeripheral.settling / 3)
        await stage.daemon.setAdapter(["Powered": .bool(false)])
        return .failure(.remote("org.freedesktop.DBus.Error.UnknownObject", ""))
      }
      #expect(await connect(stage)?.code == .adapterUnavailable(.poweredOff))
    }
  }

  @Test("a link that is lost before Connect returns gives connectFailed")
  func earlyLoss() async throws {
    try await stage { stage in
      await stage.daemon.reply(to: "Connect") { [daemon = stage.daemon] _ in
        await daemon.setDevice(["Connected": .bool(true)])
        await daemon.setDevice(["Connected": .bool(false)])
        return .success([])
      }
      #expect(await connect(stage)?.code == .connectFailed)
    }
  }

  @Test(
    "a link is reported once, when BlueZ signals it, whatever becomes of the connection",
    arguments: [
      (.success([]), nil),
      (.failure(.remote("org.bluez.Error.AlreadyConnected", "Already Connected")), nil),
      (.failure(.remote("org.bluez.Error.Failed", "br-connection-canceled")), .connectFailed),
    ] as [(Result<[DBusValue], DBusError>, CentralError.Code?)])
  func reportedLink(answer: Result<[DBusValue], DBusError>, code: CentralError.Code?) async throws {
    try await stage { stage in
      let (reports, report) = AsyncStream.makeStream(of: Void.self)
      await stage.daemon.reply(to: "Connect") { [daemon = stage.daemon] _ in
        await daemon.setDevice(["Connected": .bool(true)])
        await daemon.setDevice(["Connected": .bool(true), "ServicesResolved": .bool(true)])
        // Without the report there is no reply.
        for await _ in reports { return answer }
        return .failure(.remote("org.bluez.Error.Failed", "reported twice"))
      }
      let error = await failure { () async throws(CentralError) in
        try await stage.central.connect(to: Sample.address, on: Sample.adapter) { report.yield() }
      }
      #expect(error?.code == code)
      report.finish()
      for await _ in reports { Issue.record("reported twice") }
    }
  }

  @Test("a link that BlueZ does not signal is detected by reading Connected, and ends like any other")
  func unsignalledLink() async throws {
    try await stage { stage in
      // Known, and not connected.
      await addSecond(stage)
      await stage.daemon.reply(to: "Get") { _ in .success([.variant(.bool(true))]) }
      let peripheral = try await stage.central.connect(to: Sample.address, on: Sample.adapter)
      let asked = await stage.daemon.calls.last
      #expect(asked?.path == FakeBlueZ.device)
      #expect(asked?.body == [.string("org.bluez.Device1"), .string("Connected")])
      #expect(
        try await stage.central.connectedPeripherals(on: Sample.adapter).map(\.address) == [Sample.address])
      await stage.daemon.setDevice(["Connected": .bool(false)])
      #expect(await peripheral.disconnection()?.cause == .remote)
      #expect(await stage.daemon.members(Self.ofInterest) == ["Connect"])
    }
  }

  @Test(
    "a link gives connectFailed if BlueZ denies it or does not report it",
    arguments: [
      Result<[DBusValue], DBusError>.success([.variant(.bool(false))]), .success([]),
      .failure(.remote("org.freedesktop.DBus.Error.UnknownObject", "")),
    ])
  func denied(answer: Result<[DBusValue], DBusError>) async throws {
    try await stage { stage in
      await stage.daemon.reply(to: "Get") { _ in answer }
      #expect(await connect(stage)?.code == .connectFailed)
    }
  }

  @Test("a peripheral has one connection at a time, and a new one waits for the end of the old one")
  func oneConnection() async throws {
    try await stage { stage in
      let first = try await stage.connect()
      #expect(await connect(stage)?.code == .busy)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await first.disconnect() }
        await stage.daemon.called("Disconnect")
        group.addTask { #expect(await connect(stage) == nil) }
        await stage.daemon.setDevice(["Connected": .bool(false)])
      }
      #expect(await first.disconnection()?.cause == .local)
      #expect(await stage.daemon.count("Connect") == 2)
    }
  }

  @Test("a device that is being connected to gets no second attempt, and its object is not removed")
  func oneAttempt() async throws {
    try await Stage.with {
      await $0.addAdapter()
      // From storage.
      await $0.addDevice()
    } _: { stage in
      await stage.daemon.neverReply(to: "Connect")
      await withTaskGroup(of: Void.self) { group in
        group.addTask { _ = await connect(stage) }
        await stage.daemon.called("Connect")
        #expect(await connect(stage)?.code == .busy)
        try? await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in }
        group.cancelAll()
      }
      #expect(await stage.daemon.count("StartDiscovery") == 1)
      #expect(await stage.daemon.count("Connect") == 1)
      #expect(await stage.daemon.count("RemoveDevice") == 0)
    }
  }

  @Test("a failed attempt gives cancelled if it is cancelled before the reason of the failure is known")
  func cancelledFailure() async throws {
    try await stage { stage in
      await stage.daemon.refuse("Connect", "org.bluez.Error.Failed", "Input/output error")
      let error = await connect(stage) {
        await stage.daemon.called("Connect")
        try? await SystemClock().sleep(for: BlueZPeripheral.settling / 2)
      }
      #expect(error?.code == .cancelled)
    }
  }

  @Test("disconnect returns after 5 s, even if the link does not end", arguments: [true, false])
  func endless(isAnswered: Bool) async throws {
    try await stage { stage in
      let peripheral = try await stage.connect()
      if !isAnswered { await stage.daemon.neverReply(to: "Disconnect") }
      let began = stage.central.clock.now
      await peripheral.disconnect()
      #expect(began.duration(to: stage.central.clock.now) == .seconds(5))
    }
  }

  @Test("a connection attempt waits while another link of the adapter is about to be ended")
  func endingLink() async throws {
    try await stage { stage in
      await addSecond(stage)
      let (connecting, connect) = AsyncStream.makeStream(of: Bool.self)
      try await whileEnding(stage) { group in
        await stage.daemon.reply(to: "Connect") { [daemon = stage.daemon] _ in
          connect.yield(await daemon.isConnected)
          return .failure(.remote("org.bluez.Error.Failed", "le-connection-abort-by-local"))
        }
        group.addTask { _ = await self.connect(stage, to: Self.second) }
        // A call that is made too early would have been made by now.
        try? await SystemClock().sleep(for: .milliseconds(100))
      }
      connect.finish()
      var wasUp: [Bool] = []
      for await isUp in connecting { wasUp.append(isUp) }
      #expect(wasUp == [false])
    }
  }

  @Test("the cause of a disconnect is known even if the link ends before the adapter or the stack")
  func causes() async throws {
    try await stage { stage in
      let peripheral = try await stage.connect()
      await stage.daemon.setDevice(["Connected": .bool(false)])
      await stage.daemon.setAdapter(["Powered": .bool(false)])
      await stage.daemon.remove(FakeBlueZ.device)
      await stage.daemon.remove(FakeBlueZ.adapter)
      #expect(await peripheral.disconnection()?.cause == .adapterLost)
    }
    try await stage { stage in
      let peripheral = try await stage.connect()
      await stage.daemon.connection.close()
      #expect(await peripheral.disconnection()?.cause == .stackLost)
    }
  }

  @Test("the cause of a disconnect is known even if it is first read long afterwards")
  func causeReadLate() async throws {
    try await stage { stage in
      let peripheral = try await stage.connect()
      await stage.daemon.setDevice(["Connected": .bool(false)])
      await stage.daemon.setAdapter(["Powered": .bool(false)])
      try await stage.seen()
      try await SystemClock().sleep(for: BlueZPeripheral.settling * 2)
      #expect(await peripheral.disconnection()?.cause == .adapterLost)
    }
  }

  @Test("a cause that nobody has read does not change after a second")
  func oldCause() async throws {
    try await stage { stage in
      let peripheral = try await stage.connect()
      await stage.daemon.setDevice(["Connected": .bool(false)])
      try await stage.seen()
      try await SystemClock().sleep(for: .seconds(1))
      await stage.daemon.setAdapter(["Powered": .bool(false)])
      try await stage.seen()
      #expect(await peripheral.disconnection()?.cause == .remote)
    }
  }

  @Test("a cause that was delivered does not change, whatever is lost later")
  func finalCause() async throws {
    try await stage { stage in
      let peripheral = try await stage.connect()
      await stage.daemon.setDevice(["Connected": .bool(false)])
      #expect(await peripheral.disconnection()?.cause == .remote)
      await stage.daemon.setAdapter(["Powered": .bool(false)])
      try await stage.seen()
      #expect(await peripheral.disconnection()?.cause == .remote)
    }
  }

  @Test(
    "a connection attempt that waits for the end of a link stops when it is cancelled",
    arguments: [Sample.address, second])
  func cancelledReconnection(device: BluetoothAddress) async throws {
    try await stage { stage in
      if device == Self.second { await addSecond(stage) }
      try await whileEnding(stage) { _ in
        let error = await connect(stage, to: device) {
          try? await SystemClock().sleep(for: .milliseconds(100))
        }
        #expect(error?.code == .cancelled)
      }
      #expect(await stage.daemon.members(Self.ofInterest) == ["Connect", "Disconnect"])
    }
  }

  @Test("forgetting removes the object, succeeds for an unknown one, and keeps one that the user has paired")
  func forget() async throws {
    try await stage { stage in
      await stage.daemon.reply(to: "RemoveDevice") { [daemon = stage.daemon] call in
        #expect(call.body == [.objectPath(FakeBlueZ.device)])
        await daemon.remove(FakeBlueZ.device)
        return .success([])
      }
      let peripheral = try await stage.connect()
      let wasForgotten = try await stage.central.forget(Sample.address, on: Sample.adapter)
      #expect(wasForgotten)
      #expect(await peripheral.disconnection()?.cause == .local)
      let wasForgottenAgain = try await stage.central.forget(Sample.address, on: Sample.adapter)
      #expect(!wasForgottenAgain)
      #expect(await stage.daemon.count("RemoveDevice") == 1)
      await stage.daemon.addDevice(["Trusted": .bool(true)])
      try await stage.seen()
      let isKept = try await stage.central.forget(Sample.address, on: Sample.adapter)
      #expect(isKept)
      #expect(await stage.daemon.count("RemoveDevice") == 1)
      // The new object can be used at once.
      _ = try await stage.connect()
    }
  }

  @Test("a device is not connected to for 5 s while BlueZ removes it; after a refusal it can be")
  func beingForgotten() async throws {
    try await stage { stage in
      await stage.daemon.neverReply(to: "RemoveDevice")
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { _ = try? await stage.central.forget(Sample.address, on: Sample.adapter) }
        await stage.daemon.called("RemoveDevice")
        try await SystemClock().sleep(for: .milliseconds(4999))
        #expect(await connect(stage)?.code == .peripheralUnknown)
        try await SystemClock().sleep(for: .milliseconds(1))
        _ = try await stage.connect()
        group.cancelAll()
      }
    }
    try await stage { stage in
      await stage.daemon.refuse("RemoveDevice", "org.bluez.Error.NotAuthorized", "Not Authorized")
      let error = await failure { () async throws(CentralError) in
        try await stage.central.forget(Sample.address, on: Sample.adapter)
      }
      #expect(error?.code == .permissionDenied)
      _ = try await stage.connect()
    }
  }

  @Test("forgetting an object that is removed at the same moment is not confirmed")
  func forgetRemoved() async throws {
    try await stage { stage in
      await stage.daemon.refuse("RemoveDevice", "org.bluez.Error.DoesNotExist", "Does Not Exist")
      let wasForgotten = try await stage.central.forget(Sample.address, on: Sample.adapter)
      #expect(!wasForgotten)
    }
  }
}
