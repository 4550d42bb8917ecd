public import Bluetooth
import FoundationEssentials
import Model

/// What failures of several rooms have in common: probably one cause for all.
///
/// A common moment is one of attempts, whatever became of the rooms. All else is what the rooms that a run tried and did not do
/// have in common, and the rooms that it did do not.
public enum CommonCause: Hashable, Sendable {
  /// Attempts at several rooms lost their devices at these moments, each within milliseconds, on these adapters.
  case moment([CommonMoment], [AdapterID])
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
    case moment
    case adapter
    case weakSignal = "weak_signal"
    case network
    case deviceText = "device_text"
  }

  /// What programs call it.
  var name: Name {
    switch self {
    case .moment: .moment
    case .adapter: .adapter
    case .weakSignal: .weakSignal
    case .network: .network
    case .deviceText: .deviceText
    }
  }

  /// When devices were lost together; none for any other cause.
  var moments: [CommonMoment] { if case .moment(let moments, _) = self { moments } else { [] } }

  /// What the rooms have in common, as text; nil where the name says it all.
  var value: String? {
    switch self {
    case .moment(_, let adapters): adapters.count == 1 ? adapters.first?.description : nil
    case .adapter(let adapter): adapter.description
    case .weakSignal: nil
    case .network(let text), .deviceText(let text): text
    }
  }
}

extension RunReport {
  /// The rooms that were tried and not done.
  var failedRooms: [RoomReport] { rooms.filter { $0.attempts > 0 && $0.outcome.isFailure } }

  /// What failures have in common; nothing for fewer than three rooms.
  public var commonCauses: [CommonCause] {
    var causes = commonMoments.map { CommonCause.moment($0.moments, $0.adapters) }
    let failed = failedRooms
    guard failed.count >= CommonCause.rooms else { return causes }
    let done = rooms.filter { $0.attempts > 0 && $0.outcome.isSuccess }
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
  /// The rooms that have it in common, in the manifest's order.
  func rooms(in report: RunReport) -> [RoomReport] {
    guard case .moment(let moments, _) = self else { return report.failedRooms }
    let rooms = Set(moments.flatMap(\.rooms))
    return report.rooms.filter { rooms.contains($0.id) }
  }

  /// What it is and what to do, for a person.
  func explanation(in report: RunReport) -> Explanation {
    func name(_ adapter: AdapterID) -> String { (report.name(of: adapter) ?? adapter.description).visible }
    let rooms = rooms(in: report)
    return switch self {
    case .moment(let moments, let adapters): Self.explanation(moments, adapters.map(name), rooms)
    case .adapter(let adapter):
      Explanation(
        "All \(rooms.count) rooms that failed were tried on \(name(adapter)), and no room was done on it.",
        "Unplug \(name(adapter)) and run the same command again: the other adapters do these rooms.")
    case .weakSignal:
      Explanation(
        "All \(rooms.count) devices that failed were heard below \(Self.weak) dBm.",
        "Bring the adapter closer to these rooms, and run the same command again.")
    case .network(let network):
      Explanation(
        "All \(rooms.count) rooms that failed have the network \(network.visible), and no room with it was done.",
        "Check the name and password of \(network.visible) in the manifest, and that it has 2.4 GHz here.")
    case .deviceText(let text):
      Explanation(
        "All \(rooms.count) devices that failed said the same: “\(text.visible.prefix(80))”.",
        "Look for one cause for all before you look at each room.")
    }
  }

  /// More moments than this are counted, and not named.
  private static let namedMoments = 3

  private static func explanation(
    _ moments: [CommonMoment], _ adapters: [String], _ rooms: [RoomReport]
  ) -> Explanation {
    let on = adapters.joined(separator: " and ")
    let times = moments.prefix(namedMoments).map { moment in
      let span = max(1, Int((moment.span.inSeconds * 1000).rounded()))
      let count = moments.count > 1 ? "\(moment.rooms.count) rooms " : ""
      return "\(LocalTime.utc.universal(moment.at)) (\(count)within \(span) ms)"
    }
    let more = moments.count > namedMoments ? " and \(moments.count - namedMoments) more times" : ""
    let done = rooms.count(where: \.outcome.isSuccess)
    let later =
      switch done {
      case 0: ""
      case rooms.count: " All of them were done later."
      default: " \(done) of them were done later."
      }
    let when = "at \(times.joined(separator: ", "))\(more)"
    let first = moments.first.map { LocalTime.utc.universal($0.at.addingTimeInterval(-10)) } ?? ""
    let messages = "`journalctl --since '\(first)'`"
    return Explanation(
      "\(rooms.count) rooms lost their devices together on \(on), \(when): probably one cause took all links.\(later)",
      adapters.count == 1
        ? "Look at \(on), not at the devices: a loose plug, a weak USB hub or its driver; \(messages) says what happened then."
        : "Look at the Bluetooth service and the USB hub that these adapters share, not at the devices: \(messages) says what happened then."
    )
  }
}
