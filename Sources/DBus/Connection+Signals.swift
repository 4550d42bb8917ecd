/// The subscriptions, and the owners of the well-known names that they contain.
struct SignalTable {
  private struct Entry {
    let rule: MatchRule
    let handler: @Sendable (Signal) -> Void
  }

  private struct Owner {
    /// The unique name of the owner; nil if there is none.
    var name: BusName?
    /// The number of subscriptions that need the owner.
    var users = 0
  }

  private var entries: [Entry] = []
  private var owners: [BusName: Owner] = [:]

  mutating func add(_ rule: MatchRule, _ handler: @escaping @Sendable (Signal) -> Void) {
    entries.append(Entry(rule: rule, handler: handler))
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

  func owner(of name: BusName) -> BusName? { owners[name]?.name }

  /// Updates the owner of a name from the bus's signal.
  mutating func noteOwner(from signal: Signal) {
    guard signal.sender == MethodCall.bus, signal.member == "NameOwnerChanged",
      signal.interface == "org.freedesktop.DBus", signal.body.count == 3,
      let name = signal.body[0].asString.flatMap({ BusName($0) })
    else { return }
    setOwner(of: name, to: signal.body[2].asString.flatMap { BusName($0) })
  }

  /// Passes the signal to the matching subscriptions, in the order in which they were made. A subscription
  /// that a handler adds does not receive this signal.
  func handle(_ signal: Signal) {
    for entry in entries where wants(entry.rule, signal) { entry.handler(signal) }
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
  /// The sender, if it is a well-known name, whose owner can change.
  var senderToFollow: BusName? {
    guard let sender, !sender.isUnique, sender != MethodCall.bus else { return nil }
    return sender
  }

  /// The rule for the bus's signal about a new owner of a name.
  static func owner(of name: BusName) -> MatchRule {
    MatchRule(
      sender: MethodCall.bus, interface: "org.freedesktop.DBus", member: "NameOwnerChanged", arg0: name.text)
  }
}

extension Connection {
  /// Subscribes to signals until the end of the connection. The bus has the rule before this returns, so no signal
  /// sent afterwards is missed.
  ///
  /// A signal from a sender that does not own the rule's `sender` is not passed on, even if it reaches the
  /// connection. Each subscription uses one of the match rules that the bus allows per connection (512 on the
  /// system bus), and two if `sender` is a well-known name.
  /// - Parameter handler: Called on the connection's thread, in the order of the wire, before any later
  ///   message is handled. An actor pinned to `executor` may use `assumeIsolated` in it. It must return
  ///   quickly and must bound what it stores.
  /// - Throws: Same as `call`; there is no subscription then.
  package func subscribe(
    _ rule: MatchRule, _ handler: @escaping @Sendable (Signal) -> Void
  ) async throws(DBusError) {
    if let name = rule.senderToFollow { try await follow(name) }
    do {
      try await addMatch(rule)
    } catch {
      if let name = rule.senderToFollow { unfollow(name) }
      throw error
    }
    signals.add(rule, handler)
  }

  /// Adds the rule first and reads the owner second, so that no change is missed in between.
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
      // The bus refused the rule, or may have added it without a reply that arrived in time.
      if error.kind == .timedOut || error.kind == .cancelled { removeMatch(rule) }
      throw error
    }
  }

  /// Removes one instance of the rule; the bus counts equal rules. A failure needs no handling: without a
  /// connection the bus has removed the rule too.
  private func removeMatch(_ rule: MatchRule) {
    var call = MethodCall.toBus("RemoveMatch", [.string(rule.text)])
    call.noReply = true
    if let message = try? OutgoingMessage(call) { try? send(message) }
  }

  /// The connection that owns a well-known name; nil if none does, or if no subscription names it as the sender.
  package func owner(of name: BusName) -> BusName? { signals.owner(of: name) }

  /// Passes a signal to its subscriptions.
  func handle(_ signal: Signal) {
    signals.noteOwner(from: signal)
    // A copy, because handlers may subscribe.
    let table = signals
    table.handle(signal)
  }
}
