/// How many links an adapter can hold at once. Where neither the manifest nor the record says it, the run measures
/// it: with all slots in use it tries one more connection, until the controller refuses one. A refusal costs about
/// 0.4 s and is charged to no device.
///
/// BlueZ does not report a refusal. 5.66 removes the device's object without an answer (`CentralError.outOfSlots`),
/// which has other causes as well; other versions report it like most other failures to connect, so such a failure is
/// ambiguous wherever the controller may have been full. The count of links is not exact either: a link that has just
/// ended counts until the run receives its end.
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
  var limit: Int { min(measured, suspected ?? measured) }
  private var measured: Int
  /// The limit as a refusal showed it, in this run or an earlier one; nil without one.
  var found: Int? { grows || isStated ? nil : measured }
  /// The links that the adapter held while the run measured it, if they are more than usual.
  var measuredBeyondUsual: Int? { grows && proven > Self.usual ? proven : nil }
  /// The links held at a refusal whose cause is not known yet.
  private var suspected: Int?
  /// Whether the run tries one more link when all slots are in use.
  private var grows: Bool
  private let isStated: Bool
  /// The number of links that the adapter is known to hold.
  private var proven = LinkSlots.least
  /// The number of links that each ambiguous failure would have made. A later connection with as many links
  /// removes it.
  private var doubts: [Int] = []

  /// - Parameters:
  ///   - stated: the slots that the manifest states.
  ///   - recorded: what the controller held in an earlier run, without more or before it refused more. Another
  ///     program may have held links then, so fewer than every controller holds are not believed.
  init(stated: Int? = nil, recorded: Int? = nil) {
    if let recorded { proven = max(recorded, Self.least) }
    measured = stated ?? (recorded == nil ? Self.usual : proven)
    isStated = stated != nil
    grows = stated == nil && recorded == nil
  }

  /// Whether a connection that makes this many links may fail because no slot is free.
  func isTrial(making links: Int) -> Bool {
    !isStated && links > min(proven, Self.usual)
  }

  /// A connection succeeded; the adapter now holds this many links.
  mutating func connected(holding links: Int) {
    proven = max(proven, links)
    doubts.removeAll { $0 <= links }
    if grows, suspected == nil, links >= measured { measured = min(measured + 1, Self.most) }
  }

  /// The controller seems to have refused a further link while it held this many. No further one is tried until
  /// the cause is known.
  mutating func suspect(holding links: Int) {
    suspected = max(1, min(links, limit))
  }

  /// The adapter or the stack was lost: that was the cause.
  mutating func endSuspicion() { suspected = nil }

  /// The controller refused a further link while it held this many.
  mutating func refused(holding links: Int) {
    measured = max(1, min(links, measured))
    (suspected, proven, grows, doubts) = (nil, measured, false, [])
  }

  /// A connection failed while the adapter held this many links, perhaps because no slot was free.
  mutating func mayHaveRefused(holding links: Int) {
    suspected = nil
    if grows, links >= max(proven, Self.usual) { return refused(holding: links) }
    doubts.append(links + 1)
    if doubts.count >= Self.failuresInDoubt { refused(holding: links) }
  }
}
