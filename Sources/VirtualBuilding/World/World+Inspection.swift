public import Bluetooth

/// A value that reached a sensor.
public struct WriteRecord: Hashable, Sendable {
  /// When it arrived there.
  public var at: MonotonicInstant
  /// Which sensor.
  public var address: BluetoothAddress
  /// Through which adapter.
  public var adapter: BluetoothAddress
  /// To which characteristic.
  public var characteristic: BluetoothUUID
  /// What.
  public var value: [UInt8]
  /// How.
  public var kind: WriteKind
}

/// What only the builder of a world may see and do: looking into sensors, and hands-on interventions.
extension World {
  /// What a sensor would still know after a power cut; nil for a sensor that the scenario does not have.
  public func flash(of address: BluetoothAddress) -> Flash? { sensors[address]?.firmware.flash }

  /// Everything that was ever written to sensors, in the order of arrival.
  public var writes: [WriteRecord] { writeRecords }

  /// What was written to sensors since so many writes had been.
  public func writes(since count: Int) -> ArraySlice<WriteRecord> { writeRecords.dropFirst(count) }

  /// How often a sensor's characteristic was written to, or any of its characteristics: a flash wears.
  public func writeCount(of address: BluetoothAddress, to characteristic: BluetoothUUID? = nil) -> Int {
    writeRecords.count {
      $0.address == address && (characteristic == nil || $0.characteristic == characteristic)
    }
  }

  /// How many links there are now, on one adapter or on all.
  public func openLinkCount(on adapter: BluetoothAddress? = nil) -> Int {
    adapter.map { openLinks(on: $0) } ?? links.count
  }

  /// Whether an adapter holds a link, or is connecting.
  func isInUse(_ adapter: BluetoothAddress) -> Bool {
    openLinks(on: adapter) > 0 || attemptsUnderWay(on: adapter) > 0
  }

  /// Who is at the other end of an adapter's links, by address, with the services resolved so far.
  public func linkedSensors(on adapter: BluetoothAddress) -> [ConnectedPeripheral] {
    links.values.filter { $0.adapter == adapter }.sorted { $0.address < $1.address }.map { link in
      ConnectedPeripheral(address: link.address, serviceUUIDs: link.table?.services.map(\.uuid) ?? [])
    }
  }

  /// Attempts to connect to a sensor, failed ones included.
  public func attemptCount(of address: BluetoothAddress) -> Int { sensors[address]?.attempts ?? 0 }

  /// How often a sensor was connected to.
  public func connectionCount(of address: BluetoothAddress) -> Int { sensors[address]?.connections ?? 0 }

  /// Attempts that are under way or wait for their turn on an adapter.
  public func attemptsUnderWay(on adapter: BluetoothAddress) -> Int {
    operations.values.count {
      guard case .connect(_, adapter) = $0.kind else { return false }
      return true
    }
  }

  /// What a sensor has on air at this moment; nil when it is off the air.
  public func onAir(_ address: BluetoothAddress) -> AdvertisingPayload? { sensors[address]?.onAir }

  /// Takes a sensor out of range, or brings it back. A link to it is lost.
  public func setMuted(_ isMuted: Bool, _ address: BluetoothAddress) {
    sensors[address]?.isMuted = isMuted
    if isMuted {
      dropLink(to: address)
    } else {
      advertisesAnew(address)
      planTurn(of: address, isNew: true)
    }
  }

  /// Has the link to a sensor lost, as when somebody walks in between.
  public func dropLink(to address: BluetoothAddress) {
    guard let link = sensors[address]?.link else { return }
    comesFree(address)
    schedule(.linkDown(link, .remote), after: radio.supervisionTimeout)
  }

  /// Presses the button that puts a sensor (back) into provisioning mode.
  public func pressButton(_ address: BluetoothAddress) {
    tell(address, .button)
  }

  /// Sees to a sensor: nothing is wrong with it any more, and it is switched off and on. What it holds stays. One that
  /// was not switched on yet is left to its time.
  public func repair(_ address: BluetoothAddress) {
    sensors[address]?.scenario.faults = []
    sensors[address]?.isMuted = false
    guard let sensor = sensors[address], sensor.isOn || sensor.life > 0 else { return }
    carryOut(.restart(takes: radio.restart.upperBound), of: address)
  }

  func record(_ value: [UInt8], to characteristic: BluetoothUUID, _ kind: WriteKind, _ link: LinkState) {
    writeRecords.append(
      WriteRecord(
        at: clock.now, address: link.address, adapter: link.adapter, characteristic: characteristic,
        value: value, kind: kind))
  }

  /// The sensor is off a link without a word, and advertises again.
  func sensorLeaves(_ link: LinkState) {
    guard sensors[link.address]?.link == link.id else { return }
    comesFree(link.address)
  }
}
