import Bluetooth
import Model

/// How many links an adapter can hold at once. Where the manifest does not state it, the run measures it:
/// with all slots in use it tries one more connection, until the controller refuses one. A refusal costs
/// about 0.4 s and is charged to no device.
///
/// BlueZ 5.66 reports a refusal like most other failures to connect (`le-connection-abort-by-local`), so a
/// failed connection is ambiguous wherever the controller may have been full. The count of links is not exact
/// either: a link that has just ended counts until the run receives its end.
struct LinkSlots: Hashable, Sendable {
  /// The initial value: what common dongles hold.
  static let usual = 5
  /// What every controller is taken to hold.
  static let least = 3
  /// More links bring nothing: an adapter makes one connection at a time, and a GATT session takes about 3 s.
  static let most = 10
  /// After this many ambiguous failures in a row, the limit is the number of links that were up.
  static let failuresInDoubt = 2

  /// The number of links at once.
  private(set) var limit: Int
  /// Whether the run tries one more link when all slots are in use.
  private var grows: Bool
  private let isStated: Bool
  /// The number of links that the adapter is known to hold.
  private var proven = LinkSlots.least
  /// The number of links that each ambiguous failure would have made. A later connection with as many links
  /// removes it.
  private var doubts: [Int] = []

  /// The slots that the manifest states; without them those of a common dongle, to be measured.
  init(stated: Int? = nil) {
    limit = stated ?? Self.usual
    isStated = stated != nil
    grows = !isStated
  }

  /// Whether a connection that makes this many links may fail because no slot is free.
  func isTrial(making links: Int) -> Bool {
    !isStated && links > min(proven, Self.usual)
  }

  /// A connection succeeded; the adapter now holds this many links.
  mutating func connected(holding links: Int) {
    proven = max(proven, links)
    doubts.removeAll { $0 <= links }
    if grows, links >= limit { limit = min(limit + 1, Self.most) }
  }

  /// The controller refused a further link while it held this many.
  mutating func refused(holding links: Int) {
    guard !isStated else { return }
    limit = max(1, min(links, limit))
    proven = limit
    grows = false
    doubts = []
  }

  /// A connection failed while the adapter held this many links, perhaps because no slot was free.
  mutating func mayHaveRefused(holding links: Int) {
    if grows, links >= max(proven, Self.usual) { return refused(holding: links) }
    doubts.append(links + 1)
    if doubts.count >= Self.failuresInDoubt { refused(holding: links) }
  }
}
