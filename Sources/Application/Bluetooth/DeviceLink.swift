package import Bluetooth
import Host
import Reporting
import FoundationEssentials
package import Model
import Session
import Waiting

/// A connection to one device, for commands that inspect it and write no setting.
package struct DeviceLink: Sendable {
  package let stack: BluetoothStack
  let adapters: AdapterChoice
  /// How long to scan for the device, in seconds.
  let scanTime: Double
  /// The building whose families, and names for adapters, apply.
  let building: Building?

  package var families: FamilyCatalogue { building?.families ?? BuiltIn.families }

  /// The GATT sessions of a device's family; nil when its advertisement does not show that.
  func driver(of sighting: Sighting) -> FamilyDriver? {
    sighting.family.flatMap { (building?.drivers ?? BuiltIn.drivers)[$0.id] }
  }

  package init(
    stack: BluetoothStack, adapters: AdapterChoice, scanTime: Double, building: Building? = nil
  ) {
    (self.stack, self.adapters, self.scanTime, self.building) = (stack, adapters, scanTime, building)
  }

  /// Timeout of a connection attempt; most stacks have no timeout of their own.
  private static let connectLimit = Duration.seconds(15)
  /// How long all adapters scan on after one has received the device.
  private static let settling = Duration.seconds(1)
  /// Timeout of a disconnection.
  private static let endLimit = Duration.seconds(5)

  /// The sighting of the device before the connection.
  package struct Sighting: Sendable {
    let adapter: Adapter
    let advertisement: Advertisement
    /// Whether it waits to be provisioned; nil, as its family, if its advertisement does not show that.
    let recognition: Recognition?
    package let family: DeviceFamily?
  }

  /// Scans until the device is received, connects to it, runs `body`, and always disconnects.
  /// - Parameter check: Throws if a device that sends this is not to be connected to.
  /// - Throws: `CommandFailure` if the device was not received or the connection failed; what `body` throws;
  ///   the exit status after Ctrl-C.
  package func with<Result: Sendable>(
    _ address: BluetoothAddress,
    checking check: @escaping @Sendable (Sighting) throws -> Void = { _ in },
    _ body: @escaping @Sendable (any Peripheral, Sighting) async throws -> Result
  ) async throws -> Result {
    // The adapter is claimed until the link has ended.
    try await AdapterUse.with(stack, adapters, of: building) { use in
      try await with(address, use, checking: check, body)
    }
  }

  private func with<Result: Sendable>(
    _ address: BluetoothAddress, _ use: AdapterUse,
    checking check: @escaping @Sendable (Sighting) throws -> Void,
    _ body: @escaping @Sendable (any Peripheral, Sighting) async throws -> Result
  ) async throws -> Result {
    let link = OneShot<any Peripheral>()
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(
        try await Interruptions().cancelling {
          let sighting = try await search(for: address, use)
          try check(sighting)
          let connected = try await ask(within: Self.connectLimit) { () async throws(CentralError) in
            try await stack.central.connect(to: address, on: sighting.adapter.id)
          }
          link.fulfill(connected)
          return try await body(connected, sighting)
        })
    } catch let error as CentralError {
      result = .failure(
        error.code == .cancelled ? ExitStatus.interrupted : Self.failure(error, of: address))
    } catch is CancellationError {
      result = .failure(ExitStatus.interrupted)
    } catch {
      result = .failure(error)
    }
    // Shielded from cancellation by Ctrl-C, so that no link remains.
    if let link = link.peeked { await takeDown(link) }
    return try result.get()
  }

  /// Scans until the device is received.
  /// - Throws: `CommandFailure` if it was not received within `--scan`; `CentralError`.
  package func search(for address: BluetoothAddress) async throws -> Sighting {
    try await AdapterUse.with(stack, adapters, of: building) { use in
      try await search(for: address, use)
    }
  }

  private func search(for address: BluetoothAddress, _ use: AdapterUse) async throws -> Sighting {
    let used = try await use.adapters()
    Messages.say("Scanning on \(used.names) for \(address)")
    let first = OneShot<Void>()
    let (received, reports) = AsyncStream.makeStream(of: Advertisement.self)
    let failure = await withTaskGroup(of: CentralError?.self) { group in
      group.addTask {
        do throws(CentralError) {
          _ = try await use.scan(on: used, for: .seconds(scanTime)) { _, advertisement in
            guard advertisement.address == address else { return }
            reports.yield(advertisement)
            first.fulfill(())
          }
          return nil
        } catch {
          return error
        }
      }
      group.addTask {
        await first.value()
        // Another adapter may receive it more strongly.
        if used.count > 1 { try? await stack.clock.sleep(for: Self.settling) }
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    if Task.isCancelled { throw CentralError(.cancelled) }
    reports.finish()
    let strongest = await received.max { ($0.rssi ?? .min) < ($1.rssi ?? .min) }
    guard let strongest, let adapter = used.first(where: { $0.id == strongest.adapter }) else {
      if let failure { throw adapters.failure(failure) }
      throw CommandFailure(
        .incomplete,
        "\(address) was not received within \(scanTime.asSeconds)\(used.count > 1 ? " by \(used.names)" : "")",
        advice: "Check that it has power and stand within 3 m of it. Scan for longer with --scan-time 30.")
    }
    let recognised = families.recognise(strongest)
    return Sighting(
      adapter: adapter, advertisement: strongest, recognition: recognised?.recognition,
      family: recognised.flatMap { families[$0.profile] })
  }

  /// Asks the device, or the stack for a connection to it, and waits for a limited time.
  /// - Throws: `timedOut` after the limit; what `body` throws.
  package func ask<Answer: Sendable>(
    within limit: Duration = .seconds(30),
    _ body: @escaping @Sendable () async throws(CentralError) -> Answer
  ) async throws(CentralError) -> Answer {
    switch await race(limit, on: stack.clock, body) {
    case .value(let answer): return answer
    case .failed(let error): throw error
    case .timedOut: throw CentralError(.timedOut)
    }
  }

  /// Disconnects, and makes the stack forget the device: its cached attributes may be those of older
  /// firmware.
  private func takeDown(_ link: any Peripheral) async {
    await link.disconnect()
    let (central, address, adapter) = (stack.central, link.address, link.adapter)
    _ = await race(Self.endLimit, on: stack.clock) { () async throws(CentralError) in
      _ = await link.disconnection()
      try await central.forget(address, on: adapter)
    }
  }

  /// The message for a failure of the link.
  static func failure(_ error: CentralError, of address: BluetoothAddress) -> CommandFailure {
    let detail = error.detail
    switch error.code {
    case .connectFailed, .timedOut, .peripheralUnknown:
      return CommandFailure(
        .incomplete, "\(address) did not accept a connection" + detail,
        advice: "Put it into provisioning mode, stand within 3 m of it, and run the command again.")
    case .disconnected:
      return CommandFailure(
        .incomplete, "the connection to \(address) was lost" + detail,
        advice: "Stand within 3 m of it, and run the command again.")
    case .pairingRequired:
      return CommandFailure(
        .incomplete, "\(address) demands pairing, which only `apply` does" + detail,
        advice: "Set `pairing` in the manifest or in the file of its family, and run `roboprov apply`.")
    case .servicesUnresolved, .attributeMissing, .attributeAmbiguous, .att, .notPermitted, .pairing, .busy,
      .outOfSlots, .other:
      return CommandFailure(
        .incomplete, "\(address) cannot be read: \(error.code)" + detail,
        advice: "Switch it off and on, and run the command again.")
    case .busUnavailable, .stackUnavailable, .permissionDenied, .adapterUnavailable, .cancelled:
      return RadioMessages.failure(error)
    }
  }
}
