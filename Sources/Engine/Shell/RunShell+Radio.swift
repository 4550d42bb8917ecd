import Bluetooth
import Model
import Session
import Waiting

/// Effects on adapters: list, claim, scan, power-cycle, forget.
extension RunShell {
  /// How long the stack may take for a request that usually takes milliseconds.
  private static let stackTimeout = Duration.seconds(5)
  /// How long it may take to switch an adapter off and on. BlueZ needs 1 to 2 s.
  private static let powerCycleTimeout = Duration.seconds(20)

  func listAdapters() async {
    inbox.post(.hosts(await central.hosts()))
  }

  func claim(_ adapter: Adapter) async {
    let claim = await environment.claim(adapter)
    if case .refused = claim { return inbox.post(.claimed(adapter.id, claim, stack: nil)) }
    inbox.post(
      .claimed(
        adapter.id, claim, stack: await central.stackVersion(on: adapter.id.host),
        hardware: environment.hardware(adapter)))
  }

  func findLeftLinks(_ session: RadioSession, removingBonds addresses: [BluetoothAddress]) async {
    var unknown: [BluetoothAddress] = []
    // An adapter may come back after this run has paired.
    for address in addresses where !coordinator.hasTouchedBond(with: address, on: session.adapter) {
      // A stack that does not answer would take as long for each.
      guard let isConfirmed = await forgotten(address, on: session.adapter, removingBond: true) else { break }
      if isConfirmed { noteNoBond(address, session.adapter) } else { unknown.append(address) }
    }
    let central = central
    let found = await race(Self.stackTimeout, on: clock) { () throws(CentralError) in
      try await central.connectedPeripherals(on: session.adapter)
    }
    let peripherals: [ConnectedPeripheral]? = if case .value(let value) = found { value } else { nil }
    // The stack has no bond with a device that it does not know, unless it is about to lose the adapter.
    if peripherals != nil { for address in unknown { noteNoBond(address, session.adapter) } }
    inbox.post(.connectedPeripherals(peripherals, session))
  }

  func release(_ addresses: [BluetoothAddress], _ session: RadioSession) async {
    await withDiscardingTaskGroup { group in
      for address in addresses {
        group.addTask {
          if await forget(address, on: session.adapter) { inbox.post(.linkReleased(address, session)) }
        }
      }
    }
    inbox.post(.linksReleased(session))
  }

  func askScanningClients(_ session: RadioSession) async {
    let central = central
    let asked = await race(Self.stackTimeout, on: clock) { () throws(CentralError) in
      await central.scanningClients(on: session.adapter)
    }
    // Without an answer nothing proves that another program scans.
    let clients: [String]? = if case .value(let value) = asked { value } else { [] }
    inbox.post(.scanningClients(clients, session))
  }

  /// Scans until `end` is fulfilled or the scan ends by itself.
  func scan(_ session: RadioSession, forgetting addresses: [BluetoothAddress], until end: OneShot<Void>) async
  {
    for address in addresses where await forget(address, on: session.adapter) {
      inbox.post(.forgotten(address, session.adapter))
    }
    let (central, inbox) = (central, inbox)
    let failure = await ended(by: end) { () -> CentralError? in
      do throws(CentralError) {
        try await central.scan(on: session.adapter) { (advertisements) throws(CentralError) in
          inbox.post(.scanBegan(session))
          for try await advertisement in advertisements { inbox.post(.received(advertisement, session)) }
        }
        return nil
      } catch {
        return error
      }
    }
    inbox.post(.scanEnded(failure, session))
  }

  func powerCycle(_ session: RadioSession) async {
    let central = central
    let raced = await race(Self.powerCycleTimeout, on: clock) { () throws(CentralError) in
      try await central.powerCycle(session.adapter)
    }
    switch raced {
    case .value: inbox.post(.powerCycled(nil, session))
    case .failed(let error): inbox.post(.powerCycled(error, session))
    case .timedOut: inbox.post(.powerCycled(CentralError(.timedOut, stackText: "no answer"), session))
    }
  }

  func forget(_ devices: [Leftovers.Device]) async {
    await withDiscardingTaskGroup { group in
      for device in devices { group.addTask { _ = await forget(device.address, on: device.adapter) } }
    }
    inbox.post(.leftoversForgotten)
  }

  /// Has the stack forget a device, and with it a bond of this run. Returns whether it confirmed that.
  func forget(_ address: BluetoothAddress, on adapter: AdapterID) async -> Bool {
    let hasBond = coordinator.mayHaveBond(with: address, on: adapter)
    let isConfirmed = await forgotten(address, on: adapter, removingBond: hasBond) == true
    if isConfirmed, hasBond { noteNoBond(address, adapter) }
    return isConfirmed
  }

  private func noteNoBond(_ address: BluetoothAddress, _ adapter: AdapterID) {
    coordinator.note(.bondRemoved(.init(address: address, adapter: adapter)))
  }

  /// Whether the stack confirmed that it forgot a device, or did not know it; nil if it did neither.
  private func forgotten(
    _ address: BluetoothAddress, on adapter: AdapterID, removingBond: Bool
  ) async -> Bool? {
    let central = central
    return await race(Self.stackTimeout, on: clock) { () throws(CentralError) in
      try await central.forget(address, on: adapter, removingBond: removingBond)
    }.value
  }
}
