/// The identity of an adapter: its host, and its own Bluetooth address. An `hci` number can change when an adapter is
/// plugged in again; the address does not.
package struct AdapterID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The address, and above its 48 bits the host's number, 0 for this computer.
  private let bits: UInt64

  package init(_ address: BluetoothAddress, on host: HostName? = nil) {
    bits = address.rawValue | UInt64(host?.number ?? 0) << 48
  }

  package var address: BluetoothAddress { BluetoothAddress(rawValue: bits & 0xFFFF_FFFF_FFFF) }
  /// The computer that has the adapter; nil for this one.
  package var host: HostName? { HostName(number: UInt16(bits >> 48)) }

  /// Parses the written form: `00:1A:7D:DA:71:13`, or `floor-3/00:1A:7D:DA:71:13`.
  package init?(_ text: String) {
    if let address = BluetoothAddress(text) {
      self.init(address)
      return
    }
    guard let slash = text.firstIndex(of: "/"), let host = HostName(String(text[..<slash])),
      let address = BluetoothAddress(text[text.index(after: slash)...])
    else { return nil }
    self.init(address, on: host)
  }

  /// This computer's adapters come first, then those of each host.
  package static func < (a: Self, b: Self) -> Bool {
    if a.host == b.host { return a.address < b.address }
    guard let other = b.host else { return false }
    return a.host.map { $0 < other } ?? true
  }

  package var description: String { named(address.description) }

  /// A name of the adapter on its host, after the host if that is another computer.
  package func named(_ name: String) -> String { host.map { "\($0)/\(name)" } ?? name }
}

extension AdapterID: WrittenAsText {
  package static let nounForErrors = "an adapter"
}

/// The state of an adapter at one moment.
package struct Adapter: Hashable, Sendable, Codable {
  package var id: AdapterID
  /// The host's current name of the adapter: `hci0`; with the host unless it is this computer: `floor-3/hci0`.
  package var name: String
  /// Whether the adapter can be used, and the reason if it cannot.
  package var state: State
  /// Whether another program scans with the adapter, as far as is known. Connecting then takes up to 10 s
  /// (docs/internals/bluez.md, trap 16). While this program scans, it cannot find out, and the last known value stays.
  package var isScannedByOthers: Bool
  /// The controller; nil if the Bluetooth stack reports nothing about it.
  package var hardware: AdapterHardware?

  package enum State: String, Hashable, Sendable, Codable {
    /// Powered on and usable.
    case ready
    /// Present, but powered off.
    case poweredOff = "powered_off"
    /// Blocked by rfkill (reported by BlueZ 5.65 and later as `PowerState: off-blocked`).
    case blocked
  }

  package init(
    id: AdapterID, name: String, state: State, isScannedByOthers: Bool = false,
    hardware: AdapterHardware? = nil
  ) {
    self.id = id
    self.name = name
    self.state = state
    self.isScannedByOthers = isScannedByOthers
    self.hardware = hardware
  }

  /// Its name on its own host.
  package var nameOnHost: String { name.split(separator: "/").last.map(String.init) ?? name }

  /// The order for people: this computer's first, then by host, each by name.
  package static func areInOrder(_ a: Self, _ b: Self) -> Bool {
    (a.id.host?.text ?? "", a.name) < (b.id.host?.text ?? "", b.name)
  }
}

package struct HostAdapters: Sendable {
  /// Nil for this computer.
  package var host: HostName?
  /// Its adapters, ordered by identity, or why they cannot be used.
  package var result: Result<[Adapter], CentralError>
  /// What no other Bluetooth stack has; nil if it is unknown.
  package var stack: String?
  /// Adapters that have the address of one of an earlier host.
  package fileprivate(set) var twins: [AdapterTwin] = []

  package init(on host: HostName? = nil, _ result: Result<[Adapter], CentralError>, stack: String? = nil) {
    (self.host, self.result, self.stack) = (host, result, stack)
  }

  /// Why its adapters cannot be used; nil if they can.
  package var failure: CentralError? {
    if case .failure(let error) = result { error } else { nil }
  }
}

/// Two adapters of different hosts with one address.
package struct AdapterTwin: Hashable, Sendable {
  package var adapter: Adapter
  /// That of the earlier host.
  package var other: Adapter
  /// Whether it is one radio: a host that is named twice, or a gateway that is this computer. Otherwise they are copies with
  /// the same address.
  package var isSame: Bool
}

extension [HostAdapters] {
  /// Each radio once: an adapter with the address of one of an earlier host is left out, unless their Bluetooth stacks are known
  /// to be different.
  package var withoutDuplicates: [HostAdapters] {
    var earlier: [BluetoothAddress: [(adapter: Adapter, stack: String?)]] = [:]
    return map { host in
      guard case .success(let adapters) = host.result else { return host }
      var host = host
      let twins = adapters.compactMap { adapter -> AdapterTwin? in
        let others = earlier[adapter.id.address] ?? []
        let same = others.first { $0.stack == nil || host.stack == nil || $0.stack == host.stack }
        return (same ?? others.first).map {
          AdapterTwin(adapter: adapter, other: $0.adapter, isSame: same != nil)
        }
      }
      let left = adapters.filter { adapter in !twins.contains { $0.isSame && $0.adapter == adapter } }
      for adapter in left { earlier[adapter.id.address, default: []].append((adapter, host.stack)) }
      (host.result, host.twins) = (.success(left), twins)
      return host
    }
  }
}
