import Bluetooth
import DBus
import Testing

@testable import BlueZ

@Suite("Switching an adapter off and on through BlueZ", .timeLimit(.minutes(60)))
struct PowerScenarios {
  /// Makes the daemon carry out each `Set` of `Powered`.
  private func obey(_ stage: Stage) async {
    await stage.daemon.reply(to: "Set") { [daemon = stage.daemon] call in
      guard let isOn = call.body.last?.unwrapped.asBool else { return .failure(.remote("bad")) }
      await daemon.setAdapter(["Powered": .bool(isOn)])
      return .success([])
    }
  }

  private func settings(_ stage: Stage) async -> [Bool] {
    await stage.daemon.calls.filter { $0.member == "Set" }.compactMap { $0.body.last?.unwrapped.asBool }
  }

  private func cycle(_ stage: Stage) async -> CentralError? {
    await failure { () async throws(CentralError) in try await stage.central.powerCycle(Sample.adapter) }
  }

  @Test("an adapter is switched off, then on, and each step waits for the other")
  func offAndOn() async throws {
    try await Stage.with { stage in
      await obey(stage)
      try await stage.central.powerCycle(Sample.adapter)
      #expect(await settings(stage) == [false, true])
      #expect(try await stage.central.adapters().first?.state == .ready)
    }
  }

  @Test("a user without permission gets permissionDenied, and nothing has changed")
  func denied() async throws {
    try await Stage.with { stage in
      await stage.daemon.refuse("Set", "org.freedesktop.DBus.Error.AccessDenied", "Rejected send message")
      #expect(await cycle(stage)?.code == .permissionDenied)
      #expect(await stage.daemon.count("Set") == 1)
    }
  }

  @Test("the call is repeated while BlueZ is busy with an earlier change")
  func busy() async throws {
    try await Stage.with { stage in
      await stage.daemon.reply(to: "Set") { [daemon = stage.daemon] call in
        // Off, refused twice, on.
        if await (2...3).contains(daemon.count("Set")) { return .failure(.remote("org.bluez.Error.Busy")) }
        await daemon.setAdapter(["Powered": call.body.last?.unwrapped ?? .bool(false)])
        return .success([])
      }
      #expect(await cycle(stage) == nil)
      #expect(await settings(stage) == [false, true, true, true])
    }
  }

  @Test(
    "each step of switching an adapter is given up after 5 s, busy or not carried out",
    arguments: [true, false])
  func unchanged(isBusy: Bool) async throws {
    try await Stage.with { stage in
      await stage.daemon.reply(to: "Set") { _ in
        isBusy ? .failure(.remote("org.bluez.Error.Busy")) : .success([])
      }
      let began = stage.central.clock.now
      #expect(await cycle(stage)?.code == .timedOut)
      // What was not switched off need not be switched on.
      let (took, steps) = (began.duration(to: stage.central.clock.now), isBusy ? 2 : 1)
      #expect(took >= .seconds(5) * steps && took < .milliseconds(5100) * steps, "\(took)")
      #expect(await stage.daemon.count("Set") == (isBusy ? 40 : 2))
    }
  }

  @Test("an adapter that is blocked in the meantime cannot be switched on, and the error says so")
  func blocked() async throws {
    try await Stage.with { stage in
      await stage.daemon.reply(to: "Set") { [daemon = stage.daemon] call in
        if call.body.last?.unwrapped.asBool == true {
          return .failure(.remote("org.bluez.Error.Blocked", "Blocked through rfkill"))
        }
        await daemon.setAdapter(["Powered": .bool(false), "PowerState": .string("off-blocked")])
        return .success([])
      }
      #expect(await cycle(stage)?.code == .adapterUnavailable(.blocked))
    }
  }

  @Test("an adapter that holds a link or is connecting is not switched off")
  func inUse() async throws {
    try await Stage.with { stage in
      await stage.daemon.addDevice(Sample.named)
      await stage.daemon.setDevice(["Connected": .bool(true)])
      try await stage.seen()
      #expect(await cycle(stage) == CentralError(.busy, stackText: "the adapter holds 1 link"))
      await stage.daemon.setDevice(["Connected": .bool(false)])
      try await stage.seen()
      await stage.daemon.neverReply(to: "Connect")
      await withTaskGroup(of: Void.self) { group in
        group.addTask { _ = try? await stage.central.connect(to: Sample.address, on: Sample.adapter) }
        await stage.daemon.called("Connect")
        #expect(await cycle(stage) == CentralError(.busy, stackText: "a connection is being made"))
        group.cancelAll()
      }
      #expect(await stage.daemon.count("Set") == 0)
    }
  }

  @Test(
    "an adapter is not switched off while another client scans; a late end of our own scan does not count"
  )
  func scannedByOthers() async throws {
    try await Stage.with { stage in
      await obey(stage)
      await stage.daemon.setAdapter(["Discovering": .bool(true)])
      try await stage.seen()
      #expect(
        await cycle(stage) == CentralError(.busy, stackText: "another client scans with the adapter"))
      await stage.daemon.setAdapter(["Discovering": .bool(false)])
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in
        await stage.daemon.setAdapter(["Discovering": .bool(true)])
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await stage.central.powerCycle(Sample.adapter) }
        await stage.daemon.setAdapter(["Discovering": .bool(false)])
        try await group.waitForAll()
      }
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in
        await stage.daemon.setAdapter(["Discovering": .bool(true)])
      }
      try await stage.clockPasses(ForeignScans.echo)
      #expect(await cycle(stage) == nil)
    }
  }

  @Test("a cancelled task switches nothing off")
  func cancelled() async throws {
    try await Stage.with { stage in
      await obey(stage)
      let error = await withTaskGroup(of: CentralError?.self) { group in
        group.cancelAll()
        group.addTask { await cycle(stage) }
        return await group.next() ?? nil
      }
      #expect(error?.code == .cancelled)
      #expect(await stage.daemon.count("Set") == 0)
    }
  }

  @Test("a discovery of this client that BlueZ cannot stop does not prevent switching off")
  func lostDiscovery() async throws {
    try await Stage.with { stage in
      await obey(stage)
      await stage.daemon.refuse(
        "StopDiscovery", "org.bluez.Error.InProgress", "Operation already in progress")
      try await stage.central.scan(on: Sample.adapter) { _ throws(CentralError) in
        await stage.daemon.setAdapter(["Discovering": .bool(true)])
      }
      try await stage.seen()
      try await stage.clockPasses(ForeignScans.echo)
      #expect(await cycle(stage) == nil)
    }
  }
}

extension Stage {
  /// Waits, so that the state of other clients' scans is settled.
  fileprivate func clockPasses(_ duration: Duration) async throws {
    try await central.clock.sleep(for: duration)
  }
}
