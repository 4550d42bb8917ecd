public import Bluetooth

/// Everything that was heard so far, device by device: what matching and scheduling know of the air.
public struct AirLedger: Sendable {
  /// A device as it was last heard.
  public struct Sighting: Hashable, Sendable {
    /// Who.
    public var address: BluetoothAddress
    /// Who heard it last.
    public var adapter: AdapterID
    /// When it was last heard; nil once that is no longer worth anything (`mustBeHeardAgain`).
    public var lastHeard: MonotonicInstant?
    /// RSSI last reported, in dBm.
    public var rssi: Int?
    /// The local name it gave last.
    public var name: String?
    /// The family it was last recognised as, and the life it is in.
    public var life: Life
  }

  /// A family and the life one of its devices is in.
  public struct Life: Hashable, Sendable {
    /// The family.
    public var profile: ProfileID
    /// Waiting, or at work.
    public var recognition: Recognition
  }

  private let profiles: [any DeviceProfile]
  private var devices: [BluetoothAddress: Sighting] = [:]

  /// A ledger that recognises devices of these families.
  public init(profiles: [any DeviceProfile]) {
    self.profiles = profiles
  }

  /// Takes in what was heard. Returns the sighting when it is news to people: a device not heard before, or
  /// in another life than before. Devices of no family of ours are passed over.
  public mutating func hear(_ advertisement: Advertisement) -> Sighting? {
    let life = life(of: advertisement)
    let known = devices[advertisement.address]
    guard let life = life ?? known?.life else { return nil }
    let sighting = Sighting(
      address: advertisement.address, adapter: advertisement.adapter, lastHeard: advertisement.receivedAt,
      rssi: advertisement.rssi ?? known?.rssi, name: advertisement.localName ?? known?.name, life: life)
    devices[advertisement.address] = sighting
    return life == known?.life ? nil : sighting
  }

  private func life(of advertisement: Advertisement) -> Life? {
    for profile in profiles {
      if let recognition = profile.recognise(advertisement) {
        return Life(profile: profile.id, recognition: recognition)
      }
    }
    return nil
  }

  /// What is known of a device.
  public subscript(address: BluetoothAddress) -> Sighting? { devices[address] }

  /// Everybody who was ever heard.
  var addresses: Set<BluetoothAddress> { Set(devices.keys) }

  /// Devices of any family that wait to be provisioned, by address.
  public var waiting: [Sighting] { sorted { $0.life.recognition == .awaitingProvisioning } }

  /// Devices of a family that wait to be provisioned, by address.
  public func waiting(for profile: ProfileID) -> [Sighting] {
    sorted { $0.life == Life(profile: profile, recognition: .awaitingProvisioning) }
  }

  /// Devices that are at work with this identity, by address.
  public func devices(proving proof: Proof) -> [Sighting] {
    sorted { sighting in
      guard case .configured(let beacon) = sighting.life.recognition else { return false }
      return proof.isMet(by: beacon)
    }
  }

  private func sorted(_ isWanted: (Sighting) -> Bool) -> [Sighting] {
    devices.values.filter(isWanted).sorted { $0.address < $1.address }
  }

  /// Says that nobody remembers anybody: all must be heard again before they can be dialled.
  public mutating func mustBeHeardAgain() {
    for address in devices.keys { devices[address]?.lastHeard = nil }
  }

  /// Says that a device was connected to, or forgotten by the stack: it can be dialled again only after it
  /// was heard again.
  public mutating func mustBeHeardAgain(_ address: BluetoothAddress) {
    devices[address]?.lastHeard = nil
  }
}

extension Proof {
  /// Whether this beacon is the one to be heard.
  public func isMet(by beacon: IBeacon) -> Bool {
    switch self {
    case .beacon(let uuid, let major, let minor):
      beacon.uuid == uuid && beacon.major == major && beacon.minor == minor
    }
  }

  /// The minor of the beacon to be heard.
  public var minor: UInt16? {
    switch self {
    case .beacon(_, _, let minor): minor
    }
  }
}
