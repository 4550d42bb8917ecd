import Bluetooth
import VirtualBuilding

private typealias Here = ConformanceScenario

extension ConformanceCheck {
  static let connectingChecks = [
    ConformanceCheck("connects to a peripheral that it received") { subject in
      let peripheral = try await subject.connect()
      try subject.expect(peripheral.address == Here.healthy, "connected to \(peripheral.address)")
      try subject.expect(peripheral.adapter == Here.adapter, "through \(peripheral.adapter)")
      let links = await subject.world.openLinkCount(on: Here.adapter.address)
      try subject.expect(links == 1, "\(links) links")
    },
    ConformanceCheck("reports each link once, before it confirms it, and makes the next one meanwhile") {
      subject in
      try await subject.receive(Here.healthy)
      try await subject.receive(Here.described)
      let (links, link) = AsyncStream.makeStream(of: BluetoothAddress.self)
      let reported = try await subject.within("two links") {
        async let first = subject.central.connect(to: Here.healthy, on: Here.adapter) {
          link.yield(Here.healthy)
        }
        var reported: [BluetoothAddress] = []
        for await address in links {
          reported.append(address)
          guard reported.count == 1 else { continue }
          _ = try await subject.central.connect(to: Here.described, on: Here.adapter) {
            link.yield(Here.described)
          }
          _ = try await first
          link.finish()
        }
        return reported
      }
      try subject.expect(reported == [Here.healthy, Here.described], "reported \(reported)")
      let count = await subject.world.openLinkCount(on: Here.adapter.address)
      try subject.expect(count == 2, "\(count) links")
    },
    ConformanceCheck("leaves no link if it is cancelled between a link and its confirmation") { subject in
      try await subject.receive(Here.healthy)
      let (reports, report) = AsyncStream.makeStream(of: Void.self)
      let result = try await subject.within("the end of the attempt") {
        await withTaskGroup(of: CentralError?.self) { group in
          group.addTask {
            do throws(CentralError) {
              _ = try await subject.central.connect(to: Here.healthy, on: Here.adapter) { report.finish() }
              return nil
            } catch {
              return error
            }
          }
          for await _ in reports {}
          group.cancelAll()
          return await group.next() ?? nil
        }
      }
      try subject.expect(
        result?.code == .cancelled, "expected cancelled, but got \(String(describing: result))")
      try await subject.eventually("the end of all links") { await subject.world.openLinkCount(on: nil) == 0 }
    },
    ConformanceCheck("does not know a peripheral that it has never received") { subject in
      try await subject.expectFailure(.peripheralUnknown) {
        _ = try await subject.central.connect(to: Here.nobody, on: Here.adapter)
      }
    },
    ConformanceCheck("knows a peripheral only on the adapter that received it") { subject in
      try await subject.receive(Here.healthy)
      try await subject.expectFailure(.peripheralUnknown) {
        _ = try await subject.central.connect(to: Here.healthy, on: Here.otherAdapter)
      }
    },
    ConformanceCheck("reports a connection attempt that fails at the link") { subject in
      try await subject.receive(Here.failsToConnect)
      try await subject.expectFailure(.connectFailed) {
        _ = try await subject.central.connect(to: Here.failsToConnect, on: Here.adapter)
      }
    },
    ConformanceCheck("does not connect on an adapter that is off or absent") { subject in
      try await subject.receive(Here.healthy)
      try await subject.expectFailure(.adapterUnavailable(.absent)) {
        _ = try await subject.central.connect(to: Here.healthy, on: Here.noAdapter)
      }
      await subject.world.setPowered(false, Here.adapter.address)
      try await subject.eventually("hci0 to be off") {
        try await subject.central.adapters().first?.state == .poweredOff
      }
      try await subject.expectFailure(.adapterUnavailable(.poweredOff)) {
        _ = try await subject.central.connect(to: Here.healthy, on: Here.adapter)
      }
    },
    ConformanceCheck("ends an attempt at a dead peripheral when cancelled, and frees the adapter") {
      subject in
      try await subject.receive(Here.dead)
      await subject.world.silence(Here.dead)
      try await subject.receive(Here.healthy)
      let result = try await subject.cancelling(after: .seconds(3)) {
        try await subject.central.connect(to: Here.dead, on: Here.adapter)
      }
      guard case .failure(let error as CentralError) = result, error.code == .cancelled else {
        throw ConformanceFailure(description: "expected cancelled, but got \(result)")
      }
      try await subject.eventually("the end of all attempts") {
        await subject.world.attemptsUnderWay(on: Here.adapter.address) == 0
      }
      _ = try await subject.within("a link to the healthy peripheral") {
        try await subject.central.connect(to: Here.healthy, on: Here.adapter)
      }
      let links = await subject.world.openLinkCount(on: nil)
      try subject.expect(links == 1, "\(links) links")
    },
    ConformanceCheck("opens no link in a task that is already cancelled") { subject in
      try await subject.receive(Here.healthy)
      let result = try await subject.cancelling(after: .zero) {
        try? await subject.clock.sleep(for: .seconds(1))
        return try await subject.central.connect(to: Here.healthy, on: Here.adapter)
      }
      guard case .failure(let error as CentralError) = result, error.code == .cancelled else {
        throw ConformanceFailure(description: "expected cancelled, but got \(result)")
      }
      try await subject.eventually("the end of all links and attempts") {
        let links = await subject.world.openLinkCount(on: nil)
        let attempts = await subject.world.attemptsUnderWay(on: Here.adapter.address)
        return links == 0 && attempts == 0
      }
    },
    ConformanceCheck("ends a connection attempt when the adapter goes off") { subject in
      try await subject.receive(Here.dead)
      await subject.world.silence(Here.dead)
      try await subject.expectFailure(.adapterUnavailable(.poweredOff), .connectFailed) {
        async let link = subject.central.connect(to: Here.dead, on: Here.adapter)
        try await subject.clock.sleep(for: .seconds(1))
        await subject.world.setPowered(false, Here.adapter.address)
        _ = try await link
      }
    },
    ConformanceCheck("does not confirm that it forgot an unknown peripheral") { subject in
      let isConfirmed = try await subject.central.forget(Here.nobody, on: Here.adapter)
      try subject.expect(!isConfirmed, "forgot what it did not know")
    },
    ConformanceCheck("ends the link when it forgets a peripheral, and must receive it again") { subject in
      let peripheral = try await subject.connect()
      let isConfirmed = try await subject.within("forget") {
        try await subject.central.forget(Here.healthy, on: Here.adapter)
      }
      try subject.expect(isConfirmed, "no confirmation")
      let end = try await subject.within("the end of the link") { await peripheral.disconnection() }
      try subject.expect(end != nil, "the wait for the end was cancelled")
      try await subject.eventually("the end of all links") { await subject.world.openLinkCount(on: nil) == 0 }
      try await subject.expectFailure(.peripheralUnknown) {
        _ = try await subject.central.connect(to: Here.healthy, on: Here.adapter)
      }
    },
    ConformanceCheck("finds a changed peripheral's services after forgetting it") { subject in
      let stale = try await subject.connect(Here.stale)
      try await subject.expectFailure(.attributeMissing(RoboSensorGATT.ssid)) {
        try await stale.discover(RoboSensorGATT.service, requiring: required)
      }
      await stale.disconnect()
      await subject.world.updateFirmware(of: Here.stale)
      // The stack's cached attributes are outdated now, and it does not notice.
      let again = try await subject.connect(Here.stale)
      try await subject.expectFailure(.attributeMissing(RoboSensorGATT.ssid)) {
        try await again.discover(RoboSensorGATT.service, requiring: required)
      }
      await again.disconnect()
      try await subject.central.forget(Here.stale, on: Here.adapter)
      let fresh = try await subject.connect(Here.stale)
      _ = try await subject.service(of: fresh)
    },
  ]
}
