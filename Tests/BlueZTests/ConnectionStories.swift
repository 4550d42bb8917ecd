import Bluetooth
import DBus
import EventLoop
import Testing

@testable import BlueZ

@Suite("Connecting through BlueZ", .timeLimit(.minutes(2)))
struct ConnectionStories {
  static let ofInterest: Set<MemberName> = ["Connect", "Disconnect"]

  /// A stage with one adapter that has heard one peripheral.
  func stage(_ body: (Stage) async throws -> Void) async throws {
    try await Stage.with {
      await $0.addAdapter()
      await $0.addDevice(Story.named)
    } _: {
      try await body($0)
    }
  }

  func connect(_ stage: Stage) async -> CentralError? {
    await failure { () async throws(CentralError) in
      try await stage.central.connect(to: Story.address, on: Story.adapter)
    }
  }

  /// Connects in a task of its own, and cancels that at a moment of its choice.
  func connect(_ stage: Stage, cancelledAfter moment: @Sendable () async -> Void) async -> CentralError? {
    await withTaskGroup(of: CentralError?.self) { group in
      group.addTask { await connect(stage) }
      await moment()
      group.cancelAll()
      return await group.next() ?? nil
    }
  }

  @Test("returns when the link is up, and ends when the peripheral goes")
  func up() async throws {
    try await stage { stage in
      let peripheral = try await stage.connect()
      #expect(peripheral.address == Story.address)
      #expect(peripheral.adapter == Story.adapter)
      await stage.daemon.setDevice(["Connected": .bool(false)])
      #expect(await peripheral.disconnection()?.cause == .remote)
      #expect(await stage.daemon.members(Self.ofInterest) == ["Connect"])
    }
  }

  @Test("a Connect that is never answered is ended by Disconnect when its task is cancelled")
  func neverAnswered() async throws {
    try await stage { stage in
      let (hung, hangUp) = AsyncStream.makeStream(of: Void.self)
      await stage.daemon.answer("Connect") { _ in
        for await _ in hung {}
        return .failure(.remote("org.bluez.Error.Failed", "br-connection-canceled"))
      }
      await stage.daemon.answer("Disconnect") { _ in
        hangUp.finish()
        return .success([])
      }
      let error = await connect(stage) { await stage.daemon.called("Connect") }
      #expect(error?.code == .cancelled)
      #expect(await stage.daemon.members(Self.ofInterest) == ["Connect", "Disconnect"])
    }
  }

  @Test("nothing stays connected when the cancellation crosses the success")
  func crossing() async throws {
    try await stage { stage in
      let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
      await stage.daemon.answer("Connect") { [daemon = stage.daemon] _ in
        await daemon.setDevice(["Connected": .bool(true)])
        cancel.finish()
        return .success([])
      }
      await stage.daemon.answer("Disconnect") { [daemon = stage.daemon] _ in
        await daemon.setDevice(["Connected": .bool(false)])
        return .success([])
      }
      let error = await connect(stage) { for await _ in cancelled {} }
      // Either the cancellation came first and undid everything, or the success did and the link is the caller's.
      #expect(error == nil || error?.code == .cancelled)
      #expect(await stage.daemon.isConnected == (error == nil))
    }
  }

  @Test(
    "an attempt that a dead program has left behind is ended once",
    arguments: [
      DBusError.remote("org.bluez.Error.Failed", "Operation already in progress"),
      DBusError.remote("org.bluez.Error.InProgress", "In Progress"),
    ])
  func leftBehind(refusal: DBusError) async throws {
    try await stage { stage in
      await stage.daemon.answer("Connect") { [daemon = stage.daemon] _ in
        guard await daemon.count("Disconnect") > 0 else { return .failure(refusal) }
        await daemon.setDevice(["Connected": .bool(true)])
        return .success([])
      }
      _ = try await stage.central.connect(to: Story.address, on: Story.adapter)
      #expect(await stage.daemon.members(Self.ofInterest) == ["Connect", "Disconnect", "Connect"])
    }
    try await stage { stage in
      await stage.daemon.answer("Connect") { _ in .failure(refusal) }
      #expect(await connect(stage)?.code == .busy)
      #expect(await stage.daemon.members(Self.ofInterest) == ["Connect", "Disconnect", "Connect"])
    }
  }

  @Test("a peripheral that BlueZ does not know (any more) must be heard again")
  func unknown() async throws {
    try await Stage.with { stage in
      let error = await connect(stage)
      #expect(error?.code == .peripheralUnknown)
      #expect(error?.stackText == "no object for this device: BlueZ has removed it")
      #expect(await stage.daemon.count("Connect") == 0)
    }
    // Gone while the call was on its way: the signal comes before the answer, and the answer says what happened.
    let refusal = #"Method "Connect" with signature "" on interface "org.bluez.Device1" doesn't exist"#
    try await stage { stage in
      await stage.daemon.answer("Connect") { [daemon = stage.daemon] _ in
        await daemon.remove(FakeBlueZ.device)
        return .failure(.remote("org.freedesktop.DBus.Error.UnknownObject", refusal))
      }
      let error = await connect(stage)
      #expect(error?.code == .peripheralUnknown)
      #expect(error?.stackText == "org.freedesktop.DBus.Error.UnknownObject: " + refusal)
    }
  }

  @Test(
    "an attempt that the kernel gives up, and BlueZ never answers, has failed to connect",
    arguments: [(4100, CentralError.Code.connectFailed), (20_100, .connectFailed), (900, .peripheralUnknown)])
  func givenUp(milliseconds: Int, code: CentralError.Code) {
    #expect(BlueZCentral.objectRemoved(after: .milliseconds(milliseconds)).code == code)
  }

  @Test("an object that goes before the kernel can have given up must be heard again: BlueZ is about to stop")
  func removedWhileConnecting() async throws {
    try await stage { stage in
      await stage.daemon.answer("Connect") { [daemon = stage.daemon] _ in
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
    "the reason is the adapter's or the stack's when these have gone",
    arguments: [DiscoveryStories.Loss.unplugged, .poweredOff, .daemonGone, .busGone])
  func lost(loss: DiscoveryStories.Loss) async throws {
    try await stage { stage in
      await stage.daemon.answer("Connect") { _ in
        await loss.happen(stage)
        return .failure(.remote("org.bluez.Error.Failed", "Input/output error"))
      }
      #expect(await connect(stage)?.code == loss.code)
    }
  }

  @Test("the reason is the adapter's also when the device goes a moment before it")
  func deviceFirst() async throws {
    try await stage { stage in
      await stage.daemon.answer("Connect") { _ in
        await stage.daemon.remove(FakeBlueZ.device)
        try? await SystemClock().sleep(for: BlueZPeripheral.settling / 3)
        await stage.daemon.setAdapter(["Powered": .bool(false)])
        return .failure(.remote("org.freedesktop.DBus.Error.UnknownObject", ""))
      }
      #expect(await connect(stage)?.code == .adapterUnavailable(.poweredOff))
    }
  }

  @Test("a link that is lost before Connect returns has failed to connect")
  func lostAtOnce() async throws {
    try await stage { stage in
      await stage.daemon.answer("Connect") { [daemon = stage.daemon] _ in
        await daemon.setDevice(["Connected": .bool(true)])
        await daemon.setDevice(["Connected": .bool(false)])
        return .success([])
      }
      #expect(await connect(stage)?.code == .connectFailed)
    }
  }

  @Test("a link that BlueZ never says is up is asked for, and ends like any other")
  func unsaid() async throws {
    try await stage { stage in
      await stage.daemon.answer("Get") { _ in .success([.variant(.bool(true))]) }
      let peripheral = try await stage.central.connect(to: Story.address, on: Story.adapter)
      let asked = await stage.daemon.calls.last
      #expect(asked?.path == FakeBlueZ.device)
      #expect(asked?.body == [.string("org.bluez.Device1"), .string("Connected")])
      #expect(
        try await stage.central.connectedPeripherals(on: Story.adapter).map(\.address) == [Story.address])
      await stage.daemon.setDevice(["Connected": .bool(false)])
      #expect(await peripheral.disconnection()?.cause == .remote)
      #expect(await stage.daemon.members(Self.ofInterest) == ["Connect"])
    }
  }

  @Test(
    "a link that BlueZ denies, or says nothing of, has failed to connect",
    arguments: [
      Result<[DBusValue], DBusError>.success([.variant(.bool(false))]), .success([]),
      .failure(.remote("org.freedesktop.DBus.Error.UnknownObject", "")),
    ])
  func denied(answer: Result<[DBusValue], DBusError>) async throws {
    try await stage { stage in
      await stage.daemon.answer("Get") { _ in answer }
      #expect(await connect(stage)?.code == .connectFailed)
    }
  }

  @Test("one connection to one peripheral at a time; a new one waits for the end of the old")
  func oneAtATime() async throws {
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

  @Test("nobody is connected to while another link of the adapter is about to be ended")
  func endingFirst() async throws {
    try await stage { stage in
      let second = BluetoothAddress(rawValue: 0xC47C_8D00_0002)
      await stage.daemon.add(
        "/org/bluez/hci0/dev_C4_7C_8D_00_00_02",
        [Name.Interface.device: ["Address": .string(second.description), "Connected": .bool(false)]])
      let first = try await stage.connect()
      let (ended, end) = AsyncStream.makeStream(of: Void.self)
      await stage.daemon.answer("Disconnect") { [daemon = stage.daemon] _ in
        for await _ in ended {}
        await daemon.setDevice(["Connected": .bool(false)])
        return .success([])
      }
      let (connecting, connect) = AsyncStream.makeStream(of: Bool.self)
      await stage.daemon.answer("Connect") { [daemon = stage.daemon] _ in
        connect.yield(await daemon.isConnected)
        return .failure(.remote("org.bluez.Error.Failed", "le-connection-abort-by-local"))
      }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await first.disconnect() }
        await stage.daemon.called("Disconnect")
        try? await SystemClock().sleep(for: BlueZCentral.graceOfEnding)
        group.addTask { _ = try? await stage.central.connect(to: second, on: Story.adapter) }
        // Were it to be called too soon, it would be by then.
        try? await SystemClock().sleep(for: .milliseconds(100))
        end.finish()
      }
      connect.finish()
      var wasUp: [Bool] = []
      for await isUp in connecting { wasUp.append(isUp) }
      #expect(wasUp == [false])
    }
  }

  @Test("disconnect does its work in a cancelled task")
  func cancelledDisconnect() async throws {
    try await stage { stage in
      let peripheral = try await stage.connect()
      await stage.daemon.answer("Disconnect") { [daemon = stage.daemon] _ in
        await daemon.setDevice(["Connected": .bool(false)])
        return .success([])
      }
      await withTaskGroup(of: Void.self) { group in
        group.cancelAll()
        group.addTask { await peripheral.disconnect() }
      }
      #expect(await !stage.daemon.isConnected)
      #expect(await peripheral.disconnection()?.cause == .local)
    }
  }

  @Test("the cause of an end is known even if the link goes down before the adapter or the stack")
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

  @Test("the cause of an end is the same for who asks long after it")
  func askedLater() async throws {
    try await stage { stage in
      let peripheral = try await stage.connect()
      await stage.daemon.setDevice(["Connected": .bool(false)])
      await stage.daemon.setAdapter(["Powered": .bool(false)])
      try await stage.seen()
      try await SystemClock().sleep(for: BlueZPeripheral.settling * 2)
      #expect(await peripheral.disconnection()?.cause == .adapterLost)
    }
  }

  @Test("a cause that was told stays, whatever goes later")
  func told() async throws {
    try await stage { stage in
      let peripheral = try await stage.connect()
      await stage.daemon.setDevice(["Connected": .bool(false)])
      #expect(await peripheral.disconnection()?.cause == .remote)
      await stage.daemon.setAdapter(["Powered": .bool(false)])
      try await stage.seen()
      #expect(await peripheral.disconnection()?.cause == .remote)
    }
  }

  @Test("waiting for the end is given up when the task is cancelled")
  func cancelledWait() async throws {
    try await stage { stage in
      let peripheral = try await stage.connect()
      let end = await withTaskGroup(of: Disconnection?.self) { group in
        group.addTask { await peripheral.disconnection() }
        group.cancelAll()
        return await group.next() ?? nil
      }
      #expect(end == nil)
    }
  }

  @Test("forgetting removes the object; what is unknown is forgotten already, what is the user's stays")
  func forget() async throws {
    try await stage { stage in
      await stage.daemon.answer("RemoveDevice") { [daemon = stage.daemon] call in
        #expect(call.body == [.objectPath(FakeBlueZ.device)])
        await daemon.remove(FakeBlueZ.device)
        return .success([])
      }
      let peripheral = try await stage.connect()
      try await stage.central.forget(Story.address, on: Story.adapter)
      #expect(await peripheral.disconnection()?.cause == .local)
      try await stage.central.forget(Story.address, on: Story.adapter)
      #expect(await stage.daemon.count("RemoveDevice") == 1)
      await stage.daemon.addDevice(["Trusted": .bool(true)])
      try await stage.seen()
      try await stage.central.forget(Story.address, on: Story.adapter)
      #expect(await stage.daemon.count("RemoveDevice") == 1)
    }
  }

  @Test("forgetting what vanishes in the same moment succeeds")
  func forgetVanished() async throws {
    try await stage { stage in
      await stage.daemon.answer("RemoveDevice") { _ in
        .failure(.remote("org.bluez.Error.DoesNotExist", "Does Not Exist"))
      }
      try await stage.central.forget(Story.address, on: Story.adapter)
    }
  }
}
