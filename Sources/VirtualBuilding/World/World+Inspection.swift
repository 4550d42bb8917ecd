package import Bluetooth

/// Functions for tests and simulations only: inspection of sensors, and interventions.
extension World {
  /// The persistent memory of a sensor; nil if the sensor does not exist.
  package func flash(of address: BluetoothAddress) -> Flash? { firmware(of: address)?.flash }

  /// The state of a device.
  package func firmware(of address: BluetoothAddress) -> (any Firmware)? { sensors[address]?.firmware }

  /// The writes to sensors after the first `count`.
  package func writes(since count: Int) -> ArraySlice<WriteRecord> { writes.dropFirst(count) }

  /// The number of writes to a sensor's characteristic, or to all its characteristics.
  package func writeCount(of address: BluetoothAddress, to characteristic: BluetoothUUID? = nil) -> Int {
    writes.count {
      $0.address == address && (characteristic == nil || $0.characteristic == characteristic)
    }
  }

  /// The current number of links, on one adapter or on all.
  package func openLinkCount(on adapter: BluetoothAddress? = nil) -> Int {
    adapter.map { adapter in links.values.count { $0.adapter == adapter } } ?? links.count
  }

  /// Whether an adapter has a link or is connecting.
  package func isInUse(_ adapter: BluetoothAddress) -> Bool {
    openLinkCount(on: adapter) > 0 || attemptsUnderWay(on: adapter) > 0
  }

  /// The peripherals that an adapter has links to, ordered by address, with the services resolved so far.
  package func linkedSensors(on adapter: BluetoothAddress) -> [ConnectedPeripheral] {
    links.values.filter { $0.adapter == adapter }.sorted { $0.address < $1.address }.map { link in
      ConnectedPeripheral(address: link.address, serviceUUIDs: link.table?.services.map(\.uuid) ?? [])
    }
  }

  /// The number of attempts to connect to a sensor, including failed ones.
  package func attemptCount(of address: BluetoothAddress) -> Int { sensors[address]?.attempts ?? 0 }

  /// The number of successful connections to a sensor.
  package func connectionCount(of address: BluetoothAddress) -> Int { sensors[address]?.connections ?? 0 }

  /// The number of attempts on an adapter that are in progress or waiting.
  package func attemptsUnderWay(on adapter: BluetoothAddress) -> Int {
    operations.values.count {
      guard case .connect(_, adapter) = $0.kind else { return false }
      return true
    }
  }

  /// A sensor's current advertisement; nil if it does not advertise.
  package func onAir(_ address: BluetoothAddress) -> AdvertisingPayload? { sensors[address]?.onAir }

  /// Takes a sensor out of range, or back into range. Its link is lost.
  package func setMuted(_ isMuted: Bool, _ address: BluetoothAddress) {
    sensors[address]?.isMuted = isMuted
    if isMuted {
      dropLink(to: address)
    } else {
      advertisesAnew(address)
      planTurn(of: address, isNew: true)
    }
  }

  /// Makes the link to a sensor fail, as if the radio path were blocked.
  package func dropLink(to address: BluetoothAddress) {
    guard let link = sensors[address]?.link else { return }
    comesFree(address)
    schedule(.linkDown(link, .remote), after: radio.supervisionTimeout)
  }

  /// Presses the button that activates provisioning mode.
  package func pressButton(_ address: BluetoothAddress) {
    deliver(address, .button)
  }

  /// Gives a sensor these faults, in every later attempt, instead of those that it has.
  package func setFaults(_ faults: [Fault], of address: BluetoothAddress) {
    sensors[address]?.scenario.faults = faults.map { ScheduledFault($0) }
  }

  /// Repairs a sensor: removes its faults and power-cycles it. Its flash is kept. A sensor that is not
  /// switched on yet stays off until its time.
  package func repair(_ address: BluetoothAddress) {
    sensors[address]?.scenario.faults = []
    sensors[address]?.isMuted = false
    guard let sensor = sensors[address], sensor.isOn || sensor.life > 0 else { return }
    carryOut(.restart(takes: radio.restart.upperBound), of: address)
  }

  func record(_ value: [UInt8], to characteristic: BluetoothUUID, _ kind: WriteKind, _ link: LinkState) {
    writes.append(
      WriteRecord(
        at: clock.now, address: link.address, adapter: link.adapter, characteristic: characteristic,
        value: value, kind: kind))
  }

  /// The sensor leaves a link without a disconnect, and advertises again.
  func sensorLeaves(_ link: LinkState) {
    guard sensors[link.address]?.link == link.id else { return }
    comesFree(link.address)
  }
}
