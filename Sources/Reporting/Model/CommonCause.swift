package import Bluetooth
import FoundationEssentials
import Model

/// A common cause of failures of several rooms.
///
/// A common moment is about attempts, whatever the outcome of the rooms. The other causes are properties that
/// all failed rooms share and no done room has.
package enum CommonCause: Hashable, Sendable {
  /// Attempts at several rooms lost their devices at these moments, each within milliseconds, on these adapters.
  case moment([CommonMoment], [AdapterID])
  /// All attempts were on this adapter, and no room was done on it.
  case adapter(AdapterID)
  /// All devices were received below `CommonCause.weak`.
  case weakSignal
  /// All have this network, and no room with it was done.
  case network(String)
  /// All devices reported the same error.
  case deviceText(String)

  /// Below this, in dBm, connections fail often.
  package static let weak = -80
  /// The minimum number of rooms: with fewer, a common property may be chance.
  static let rooms = 3

  /// Its machine name, frozen once released.
  package enum Name: String, CaseIterable {
    case moment
    case adapter
    case weakSignal = "weak_signal"
    case network
    case deviceText = "device_text"
  }

  /// Its machine name.
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

  /// The common property as text; nil if the name of the cause is enough.
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
  /// The rooms with an attempt that are not done.
  var failedRooms: [RoomReport] { rooms.filter { $0.wasTried && $0.outcome.isFailure } }

  /// The common causes of the failures; none for fewer than three rooms.
  package var commonCauses: [CommonCause] {
    var causes = commonMoments.map { CommonCause.moment($0.moments, $0.adapters) }
    let failed = failedRooms
    guard failed.count >= CommonCause.rooms else { return causes }
    let done = rooms.filter { $0.wasTried && $0.outcome.isSuccess }
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
  /// The WiFi network of the room.
  fileprivate var network: String? { settings.first { $0.name == .wifiSSID }?.value }
}

extension CommonCause {
  /// The rooms that have it in common, in the manifest's order.
  func rooms(in report: RunReport) -> [RoomReport] {
    guard case .moment(let moments, _) = self else { return report.failedRooms }
    let rooms = Set(moments.flatMap(\.rooms))
    return report.rooms.filter { rooms.contains($0.id) }
  }

  /// The explanation with advice, for people.
  func explanation(in report: RunReport, times: LocalTime = .utc) -> Explanation {
    func name(_ adapter: AdapterID) -> String { (report.name(of: adapter) ?? adapter.description).visible }
    let rooms = rooms(in: report)
    return switch self {
    case .moment(let moments, let adapters): Self.explanation(moments, adapters.map(name), rooms, times)
    case .adapter(let adapter):
      Explanation(
        "All \(rooms.count.rooms) that failed used \(name(adapter)), and no room was done on it.",
        "Unplug \(name(adapter)), then \(SentenceContext.sameCommand): the other adapters do these rooms.")
    case .weakSignal:
      Explanation(
        "All \(rooms.count) devices that failed were received below \(Self.weak) dBm.",
        "Bring the adapter closer to these rooms, then \(SentenceContext.sameCommand).")
    case .network(let network):
      Explanation(
        "All \(rooms.count.rooms) that failed have the WiFi network \(network.quoted), and no room with it was done.",
        "Check its name and password in the manifest, and that it has 2.4 GHz here. Then \(SentenceContext.sameCommand)."
      )
    case .deviceText(let text):
      Explanation(
        "All \(rooms.count) devices that failed reported the same error: “\(text.visible.prefix(80))”.",
        "Look for one common cause first.")
    }
  }

  /// More moments than this are counted, and not named.
  private static let namedMoments = 3

  private static func explanation(
    _ moments: [CommonMoment], _ adapters: [String], _ rooms: [RoomReport], _ times: LocalTime
  ) -> Explanation {
    let on = adapters.joined(separator: " and ")
    let times = moments.prefix(namedMoments).map { moment in
      let span = max(1, Int((moment.span.inSeconds * 1000).rounded()))
      let count = moments.count > 1 ? "\(moment.rooms.count) rooms " : ""
      return "\(times.instant(moment.at)) (\(count)within \(span) ms)"
    }
    let more = moments.count > namedMoments ? ", and \(moments.count - namedMoments) more" : ""
    let done = rooms.count(where: \.outcome.isSuccess)
    let later =
      switch done {
      case 0: ""
      case rooms.count: " All were done later."
      default: " \(done) of them \(done == 1 ? "was" : "were") done later."
      }
    let when = "at \(times.joined(separator: ", "))\(more)"
    let first = moments.first.map { LocalTime.utc.universal($0.at.addingTimeInterval(-10)) } ?? ""
    let messages = "`journalctl --since '\(first)'`"
    return Explanation(
      "\(rooms.count.rooms) lost their links together on \(on), \(when): this probably has one cause.\(later)",
      adapters.count == 1
        ? "Check the plug, the USB hub and the driver of \(on), not the devices: \(messages) shows what happened then."
        : "Check the Bluetooth service and the USB hub of these adapters, not the devices: \(messages) shows what happened then."
    )
  }
}
