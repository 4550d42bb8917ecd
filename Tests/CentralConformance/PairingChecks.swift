import Bluetooth
import Synchronization
import VirtualBuilding

private typealias Here = ConformanceScenario

/// How often a central has asked for the intent of a bond.
private final class Intents: Sendable {
  private let number = Mutex(0)

  var count: Int { number.withLock { $0 } }

  /// Pairing that counts its intents, and knows that no other program makes bonds.
  func pairing(_ method: Pairing.Method) -> Pairing {
    Pairing(method, trustsBond: true) { () async throws(CentralError) in self.number.withLock { $0 += 1 } }
  }
}

extension ConformanceCheck {
  private static let passkey = method("012345")

  private static func method(_ text: String) -> Pairing.Method {
    guard let passkey = Passkey(text) else { preconditionFailure("not a passkey: \(text)") }
    return .passkey(passkey)
  }

  package static let pairing = [
    ConformanceCheck("pairs by Just Works, after the intent, and can use what demands it") { subject in
      let intents = Intents()
      let link = try await subject.pair(Here.justWorks, intents.pairing(.justWorks))
      try subject.expect(intents.count == 1, "\(intents.count) intents")
      try await subject.usesValue(of: link)
    },
    ConformanceCheck("pairs with the passkey of the label, whose first digit is zero") { subject in
      let link = try await subject.pair(Here.labelled, Pairing(passkey))
      try await subject.usesValue(of: link)
    },
    ConformanceCheck("reports a wrong passkey as such, and leaves no link") { subject in
      try await subject.expectFailure(.pairing(.passkeyRefused)) {
        try await subject.pair(Here.labelled, Pairing(method("012346")))
      }
      try await subject.expectNoLink()
    },
    ConformanceCheck("reports a peripheral that refuses to pair, and leaves no link") { subject in
      for (address, method) in [
        (Here.closed, .justWorks), (Here.closed, passkey), (Here.labelled, .justWorks),
        (Here.unpairable, .justWorks),
      ] as [(BluetoothAddress, Pairing.Method)] {
        try await subject.expectFailure(.pairing(.refused)) {
          try await subject.pair(address, Pairing(method))
        }
        try await subject.expectNoLink()
      }
    },
    ConformanceCheck("does not accept a link that the passkey does not protect") { subject in
      try await subject.expectFailure(.pairing(.passkeyUnused)) {
        try await subject.pair(Here.justWorks, Pairing(passkey))
      }
      try await subject.expectNoLink()
    },
    ConformanceCheck("ends with a peripheral that does not answer within a minute") { subject in
      let began = subject.clock.now
      try await subject.expectFailure(.pairing(.lost)) {
        try await subject.pair(Here.mute, Pairing(.justWorks))
      }
      let took = began.duration(to: subject.clock.now)
      try subject.expect(took < .seconds(60), "it took \(took)")
      try await subject.expectNoLink()
    },
    ConformanceCheck("reports a link that is lost while it pairs") { subject in
      try await subject.receive(Here.mute)
      try await subject.expectFailure(.pairing(.lost), .connectFailed) {
        async let link = subject.central.connect(
          to: Here.mute, on: Here.adapter, pairing: Pairing(.justWorks)
        ) {}
        try await subject.clock.sleep(for: .seconds(2))
        await subject.world.dropLink(to: Here.mute)
        return try await link.address
      }
      try await subject.expectNoLink()
    },
    ConformanceCheck("does not connect without the intent") { subject in
      try await subject.expectFailure(.other) {
        try await subject.pair(
          Here.justWorks,
          Pairing(.justWorks) { () async throws(CentralError) in throw CentralError(.other) })
      }
      try await subject.expectNoLink()
    },
    ConformanceCheck("leaves no link if it is cancelled while it pairs") { subject in
      for delay in [100, 250, 400, 1000] {
        try await subject.receive(Here.mute)
        let result = try await subject.cancelling(after: .milliseconds(delay)) {
          try await subject.central.connect(to: Here.mute, on: Here.adapter, pairing: Pairing(.justWorks)) {}
        }
        guard case .failure(let error as CentralError) = result, error.code == .cancelled else {
          throw ConformanceFailure(description: "expected cancelled, but got \(result)")
        }
        try await subject.expectNoLink()
      }
    },
    ConformanceCheck("uses the bond that it has, without another intent, until it is removed") { subject in
      let intents = Intents()
      for round in 1...3 {
        let link = try await subject.pair(Here.labelled, intents.pairing(passkey))
        try await subject.usesValue(of: link)
        await link.disconnect()
        try subject.expect(intents.count == 1, "\(intents.count) intents after connection \(round)")
      }
      // The bond may be of another program.
      try await subject.central.forget(Here.labelled, on: Here.adapter)
      let still = try await subject.pair(Here.labelled, intents.pairing(passkey))
      try subject.expect(intents.count == 1, "the bond was removed")
      await still.disconnect()
      let isConfirmed = try await subject.central.forget(Here.labelled, on: Here.adapter, removingBond: true)
      try subject.expect(isConfirmed, "no confirmation")
      let anew = try await subject.pair(Here.labelled, intents.pairing(passkey))
      try subject.expect(intents.count == 2, "the bond was not removed")
      await anew.disconnect()
    },
    ConformanceCheck("makes no link by a bond that may be without the passkey") { subject in
      let link = try await subject.pair(Here.justWorks, Pairing(.justWorks))
      await link.disconnect()
      try await subject.expectFailure(.pairing(.passkeyUnused)) {
        try await subject.pair(Here.justWorks, Pairing(passkey))
      }
      try await subject.expectNoLink()
      try await subject.central.forget(Here.justWorks, on: Here.adapter, removingBond: true)
    },
    ConformanceCheck("pairs with several peripherals at once, and connects to others meanwhile") { subject in
      for address in [Here.justWorks, Here.labelled, Here.healthy] { try await subject.receive(address) }
      try await subject.within("three links") {
        async let first = subject.central.connect(
          to: Here.labelled, on: Here.adapter, pairing: Pairing(passkey)
        ) {}
        async let second = subject.central.connect(
          to: Here.justWorks, on: Here.adapter, pairing: Pairing(.justWorks)
        ) {}
        async let third = subject.central.connect(to: Here.healthy, on: Here.adapter)
        let links = try await [first, second, third]
        for link in links.prefix(2) { try await subject.usesValue(of: link) }
        for link in links { await link.disconnect() }
      }
    },
  ]
}

extension ConformanceSubject {
  /// Receives a device, and pairs with it.
  @discardableResult
  fileprivate func pair(_ address: BluetoothAddress, _ pairing: Pairing) async throws -> any Peripheral {
    try await receive(address)
    return try await within("a link to \(address)") {
      try await central.connect(to: address, on: Here.adapter, pairing: pairing) {}
    }
  }

  /// Reads the value that demands a secure link.
  fileprivate func usesValue(of link: any Peripheral) async throws {
    let service = try await within("the service") {
      try await link.discover(PairingFirmware.service, requiring: [PairingFirmware.value])
    }
    let characteristic = try characteristic(PairingFirmware.value, in: service)
    let value = try await within("a read") { try await link.read(characteristic) }
    try expect(value == PairingFirmware.content, "read \(value)")
  }

  fileprivate func expectNoLink() async throws {
    try await eventually("the end of all links") {
      let attempts = await world.attemptsUnderWay(on: Here.adapter.address)
      return await world.openLinkCount(on: nil) + attempts == 0
    }
  }
}
