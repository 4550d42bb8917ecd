import Bluetooth
import Model

/// How many links an adapter can hold at once. Where the manifest does not say it, it is found out: with all in use, one more
/// connection is tried, until the controller refuses one. A refusal costs about 0.4 s and is charged to no device.
struct LinkSlots: Hashable, Sendable {
  /// What common dongles can, to begin with.
  static let usual = 5
  /// More than this gain nothing: an adapter makes one connection at a time, and a session takes about 3 s.
  static let most = 10

  /// Links at once.
  private(set) var limit: Int
  /// Whether the limit is final: the manifest or the controller said so.
  private(set) var isKnown: Bool
  /// So many links it holds without doubt.
  private var proven: Int

  /// Slots as the manifest gives them; those of a common dongle, to be found out, when it does not.
  init(stated: Int? = nil) {
    limit = stated ?? Self.usual
    proven = limit
    isKnown = stated != nil
  }

  /// Whether a connection that makes so many links is a trial: when it fails, that may be for want of a slot.
  func isTrial(making links: Int) -> Bool { !isKnown && links > proven }

  /// A connection was made; the adapter now holds so many links.
  mutating func connected(holding links: Int) {
    proven = max(proven, links)
    if !isKnown, links >= limit { limit = min(limit + 1, Self.most) }
  }

  /// The controller refused a further link while it held so many.
  mutating func refused(holding links: Int) {
    limit = max(1, min(links, limit))
    isKnown = true
  }
}
