import Bluetooth
import Model

/// How many links an adapter can hold at once. Where the manifest does not say it, it is found out: with all in use, one more
/// connection is tried, until the controller refuses one. A refusal costs about 0.4 s and is charged to no device.
///
/// BlueZ 5.66 reports a refusal like most other failures to connect (`le-connection-abort-by-local`), so a failed connection
/// is ambiguous wherever the controller may have been full. The count of links is not exact either: a link that has just ended
/// counts until the run takes notice.
struct LinkSlots: Hashable, Sendable {
  /// What common dongles can, to begin with.
  static let usual = 5
  /// More than this gain nothing: an adapter makes one connection at a time, and a session takes about 3 s.
  static let most = 10
  /// So many ambiguous failures in a row mean that the controller holds fewer links than it was seen to hold.
  static let failuresInDoubt = 2

  /// Links at once.
  private(set) var limit: Int
  /// Whether one more link is tried when all are in use.
  private var grows: Bool
  private let isStated: Bool
  /// So many links it holds as far as is known.
  private var proven = LinkSlots.usual
  /// Ambiguous failures since the last connection that showed the controller to hold as many links.
  private var doubts: [Int] = []

  /// Slots as the manifest gives them; those of a common dongle, to be found out, when it does not.
  init(stated: Int? = nil) {
    limit = stated ?? Self.usual
    isStated = stated != nil
    grows = !isStated
  }

  /// Whether a connection that makes so many links may fail for want of a slot.
  func isTrial(making links: Int) -> Bool {
    !isStated && links > Self.usual
  }

  /// A connection was made; the adapter now holds so many links.
  mutating func connected(holding links: Int) {
    proven = max(proven, links)
    doubts.removeAll { $0 <= links }
    if grows, links >= limit { limit = min(limit + 1, Self.most) }
  }

  /// The controller refused a further link while it held so many.
  mutating func refused(holding links: Int) {
    guard !isStated else { return }
    limit = max(1, min(links, limit))
    proven = limit
    grows = false
    doubts = []
  }

  /// A trial failed while the adapter held so many links, perhaps because there was no slot.
  mutating func mayHaveRefused(holding links: Int) {
    if grows, links >= proven { return refused(holding: links) }
    doubts.append(links + 1)
    if doubts.count >= Self.failuresInDoubt { refused(holding: links) }
  }
}
