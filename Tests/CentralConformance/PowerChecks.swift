import Bluetooth
import VirtualBuilding

private typealias Here = ConformanceScenario

extension ConformanceCheck {
  static let powerChecks = [
    ConformanceCheck("switches an adapter off and on again, and can use it at once") { subject in
      try await subject.receive(Here.healthy)
      try await subject.within("the power cycle") { try await subject.central.powerCycle(Here.adapter) }
      let adapter = try await subject.central.adapters().first
      try subject.expect(adapter?.state == .ready, "\(String(describing: adapter)) after the power cycle")
      let peripheral = try await subject.connect()
      await peripheral.disconnect()
    },
    ConformanceCheck("ends a running scan when it power-cycles the adapter, with the reason") { subject in
      try await subject.expectFailure(.adapterUnavailable(.poweredOff)) {
        try await subject.central.scan(on: Here.adapter) { (advertisement) async throws(CentralError) in
          var isOn = true
          for try await _ in advertisement where isOn {
            try await subject.central.powerCycle(Here.adapter)
            isOn = false
          }
          throw CentralError(.other, stackText: "the stream ended without an error")
        }
      }
      try await subject.receive(Here.healthy)
    },
    ConformanceCheck("does not switch off an adapter that holds a link") { subject in
      let peripheral = try await subject.connect()
      try await subject.expectFailure(.busy) { try await subject.central.powerCycle(Here.adapter) }
      _ = try await subject.service(of: peripheral)
      await peripheral.disconnect()
    },
    ConformanceCheck("leaves no adapter off when a power cycle is cancelled") { subject in
      for delay in [0, 10, 30, 100] {
        _ = try await subject.cancelling(after: .milliseconds(delay)) {
          try await subject.central.powerCycle(Here.adapter)
        }
        let adapter = try await subject.central.adapters().first
        try subject.expect(adapter?.state == .ready, "\(String(describing: adapter)) after \(delay) ms")
      }
    },
    ConformanceCheck("does not power-cycle an adapter that is absent or off") { subject in
      try await subject.expectFailure(.adapterUnavailable(.absent)) {
        try await subject.central.powerCycle(Here.noAdapter)
      }
      await subject.world.setPowered(false, Here.adapter.address)
      try await subject.eventually("hci0 to be off") {
        try await subject.central.adapters().first?.state == .poweredOff
      }
      try await subject.expectFailure(.adapterUnavailable(.poweredOff)) {
        try await subject.central.powerCycle(Here.adapter)
      }
    },
  ]
}
