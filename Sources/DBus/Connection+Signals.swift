/// Who is subscribed to what, and who owns the well-known names that subscriptions speak of.
struct SignalTable {
  private struct Entry {
    let subscription: Subscription
    let handler: @Sendable (Signal) -> Void
  }

  private struct Owner {
    /// The connection that owns the name; nil when none does.
    var name: BusName?
    /// Subscriptions that need to know.
    var users = 0
  }

  private var entries: [Entry] = []
  private var owners: [BusName: Owner] = [:]
  private var lastNumber: UInt64 = 0

  mutating func add(_ rule: MatchRule, _ handler: @escaping @Sendable (Signal) -> Void) -> Subscription {
    lastNumber += 1
    let subscription = Subscription(rule: rule, number: lastNumber)
    entries.append(Entry(subscription: subscription, handler: handler))
    return subscription
  }

  /// - Returns: whether it was there.
  mutating func remove(_ subscription: Subscription) -> Bool {
    guard let index = entries.firstIndex(where: { $0.subscription == subscription }) else { return false }
    entries.remove(at: index)
    return true
  }

  mutating func startFollowing(_ name: BusName) {
    owners[name, default: Owner()].users += 1
  }

  mutating func stopFollowing(_ name: BusName) {
    owners[name]?.users -= 1
    if owners[name]?.users == 0 { owners[name] = nil }
  }

  mutating func setOwner(of name: BusName, to owner: BusName?) {
    owners[name]?.name = owner
  }

  /// Learns from the bus that a name has changed hands.
  mutating func noteOwner(from signal: Signal) {
    guard signal.sender == MethodCall.bus, signal.member == "NameOwnerChanged",
      signal.interface == "org.freedesktop.DBus", signal.body.count == 3,
      let name = signal.body[0].asString.flatMap({ BusName($0) })
    else { return }
    setOwner(of: name, to: signal.body[2].asString.flatMap { BusName($0) })
  }

  /// Hands the signal to those who want it, in the order in which they subscribed. Whoever subscribes meanwhile has no
  /// part in it.
  func handle(_ signal: Signal) {
    for entry in entries where wants(entry.subscription.rule, signal) { entry.handler(signal) }
  }

  private func wants(_ rule: MatchRule, _ signal: Signal) -> Bool {
    guard rule.matchesApartFromSender(signal) else { return false }
    guard let sender = rule.sender else { return true }
    guard let wellKnown = rule.senderToFollow else { return sender == signal.sender }
    guard let owner = owners[wellKnown]?.name else { return false }
    return owner == signal.sender
  }
}

extension MatchRule {
  /// The sender's name, if it is one that may change hands.
  var senderToFollow: BusName? {
    guard let sender, !sender.isUnique, sender != MethodCall.bus else { return nil }
    return sender
  }

  /// What the bus says when the sender's name changes hands.
  static func owner(of name: BusName) -> MatchRule {
    MatchRule(
      sender: MethodCall.bus, interface: "org.freedesktop.DBus", member: "NameOwnerChanged", arg0: name.text)
  }
}

extension Connection {
  /// Subscribes to signals. The bus has the rule before this returns, so nothing sent from then on is missed.
  ///
  /// A signal by someone who does not own the rule's `sender` is not handed on, even when it reaches us. Each
  /// subscription takes one of the rules that the bus allows a connection (the system bus: 512), two with a
  /// well-known `sender`.
  /// - Parameter handler: Called on the connection's thread, in the order of the wire, and before anything later on
  ///   the wire is handled. An actor pinned to `executor` may `assumeIsolated` in it. It must be quick, and must
  ///   bound whatever it keeps.
  /// - Throws: as `call`; nothing is subscribed to then.
  public func subscribe(
    _ rule: MatchRule, _ handler: @escaping @Sendable (Signal) -> Void
  ) async throws(DBusError) -> Subscription {
    if let name = rule.senderToFollow { try await follow(name) }
    do {
      try await addMatch(rule)
    } catch {
      if let name = rule.senderToFollow { unfollow(name) }
      throw error
    }
    return signals.add(rule, handler)
  }

  /// Ends a subscription: its handler is not called any more. Ending it twice does nothing.
  public func unsubscribe(_ subscription: Subscription) {
    guard signals.remove(subscription) else { return }
    removeMatch(subscription.rule)
    if let name = subscription.rule.senderToFollow { unfollow(name) }
  }

  /// Rules first, owner second: in between no change can be missed.
  private func follow(_ name: BusName) async throws(DBusError) {
    signals.startFollowing(name)
    do {
      try await addMatch(.owner(of: name))
    } catch {
      signals.stopFollowing(name)
      throw error
    }
    do {
      let owner = try await call(.toBus("GetNameOwner", [.string(name.text)])).first?.asString
      signals.setOwner(of: name, to: owner.flatMap { BusName($0) })
    } catch  where error.isRemote(DBusError.prefix + "NameHasNoOwner") {
      signals.setOwner(of: name, to: nil)
    } catch {
      unfollow(name)
      throw error
    }
  }

  private func unfollow(_ name: BusName) {
    signals.stopFollowing(name)
    removeMatch(.owner(of: name))
  }

  private func addMatch(_ rule: MatchRule) async throws(DBusError) {
    do {
      try await call(.toBus("AddMatch", [.string(rule.text)]))
    } catch {
      // The bus refused it, or it may have taken it without our hearing so.
      if error.kind == .timedOut || error.kind == .cancelled { removeMatch(rule) }
      throw error
    }
  }

  /// The bus counts equal rules, so this takes back one. Nothing can be done about a failure: without a connection
  /// the rule is gone too.
  private func removeMatch(_ rule: MatchRule) {
    var call = MethodCall.toBus("RemoveMatch", [.string(rule.text)])
    call.noReply = true
    if let message = try? OutgoingMessage(call) { try? send(message) }
  }

  /// Hands a signal to whoever wants it.
  func handle(_ signal: Signal) {
    signals.noteOwner(from: signal)
    // A copy: handlers may subscribe and unsubscribe.
    let table = signals
    table.handle(signal)
  }
}
