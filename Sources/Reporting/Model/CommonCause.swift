public import Bluetooth
import Model

/// What the rooms that a run tried and did not do have in common, and the rooms that it did do not: probably one cause for all.
public enum CommonCause: Hashable, Sendable {
  /// All were tried on this adapter, and no room was done on it.
  case adapter(AdapterID)
  /// All devices were heard more weakly than `CommonCause.weak`.
  case weakSignal
  /// All were to be given this network, and no room with it was done.
  case network(String)
  /// All devices said the same.
  case deviceText(String)

  /// Below this, in dBm, connections fail often.
  public static let weak = -80
  /// Fewer rooms have things in common by chance.
  static let rooms = 3

  /// What programs call it. The names are frozen.
  package enum Name: String, CaseIterable {
    case adapter
    case weakSignal = "weak_signal"
    case network
    case deviceText = "device_text"
  }

  /// What programs call it.
  var name: Name {
    switch self {
    case .adapter: .adapter
    case .weakSignal: .weakSignal
    case .network: .network
    case .deviceText: .deviceText
    }
  }

  /// What the rooms have in common, as text; nil where the name says it all.
  var value: String? {
    switch self {
    case .adapter(let adapter): adapter.description
    case .weakSignal: nil
    case .network(let text), .deviceText(let text): text
    }
  }
}

extension RunReport {
  /// The rooms that were tried and not done.
  var failedRooms: [RoomReport] { rooms.filter { $0.attempts > 0 && $0.outcome.isFailure } }

  /// What these have in common; empty for fewer than three rooms.
  public var commonCauses: [CommonCause] {
    let failed = failedRooms
    guard failed.count >= CommonCause.rooms else { return [] }
    let done = rooms.filter { $0.attempts > 0 && $0.outcome.isSuccess }
    var causes: [CommonCause] = []
    if let text = Self.shared(failed, \.reason?.deviceText) { causes.append(.deviceText(text)) }
    if let adapter = Self.shared(failed, \.adapter), !done.isEmpty,
      !done.contains(where: { $0.adapter == adapter })
    {
      causes.append(.adapter(adapter))
    }
    if let network = Self.shared(failed, \.network), !done.isEmpty,
      !done.contains(where: { $0.network == network })
    {
      causes.append(.network(network))
    }
    let isWeak = { (room: RoomReport) in room.rssi.map { $0 < CommonCause.weak } ?? false }
    if failed.allSatisfy(isWeak), done.count(where: isWeak) * 2 < max(done.count, 1) {
      causes.append(.weakSignal)
    }
    return causes
  }

  private static func shared<Value: Hashable>(_ rooms: [RoomReport], _ value: (RoomReport) -> Value?)
    -> Value?
  {
    guard let first = rooms.first.flatMap(value) else { return nil }
    return rooms.allSatisfy { value($0) == first } ? first : nil
  }
}

extension RoomReport {
  /// The network that the room was to be given.
  fileprivate var network: String? { settings.first { $0.name == .wifiSSID }?.value }
}

extension CommonCause {
  /// What it is and what to do, for a person.
  /// - Parameters:
  ///   - rooms: how many rooms have it in common.
  ///   - name: what the host calls an adapter.
  func explanation(rooms: Int, name: (AdapterID) -> String) -> Explanation {
    switch self {
    case .adapter(let adapter):
      Explanation(
        "All \(rooms) rooms that failed were tried on \(name(adapter)), and no room was done on it.",
        "Unplug \(name(adapter)) and run the same command again: the other adapters do these rooms.")
    case .weakSignal:
      Explanation(
        "All \(rooms) devices that failed were heard below \(Self.weak) dBm.",
        "Bring the adapter closer to these rooms, and run the same command again.")
    case .network(let network):
      Explanation(
        "All \(rooms) rooms that failed have the network \(network.visible), and no room with it was done.",
        "Check the name and password of \(network.visible) in the manifest, and that it has 2.4 GHz here.")
    case .deviceText(let text):
      Explanation(
        "All \(rooms) devices that failed said the same: “\(text.visible.prefix(80))”.",
        "Look for one cause for all before you look at each room.")
    }
  }
}
