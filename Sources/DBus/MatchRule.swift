/// A filter for signals. A nil field does not restrict.
package struct MatchRule: Hashable, Sendable {
  /// The sender. For a well-known name, its current owner.
  package var sender: BusName?
  package var path: ObjectPath?
  /// The object of the signal, or an ancestor of it.
  package var pathNamespace: ObjectPath?
  package var interface: InterfaceName?
  package var member: MemberName?
  /// The first argument, a string.
  package var arg0: String?

  /// Set at most one of `path` and `pathNamespace`; the bus refuses both.
  package init(
    sender: BusName? = nil, path: ObjectPath? = nil, pathNamespace: ObjectPath? = nil,
    interface: InterfaceName? = nil, member: MemberName? = nil, arg0: String? = nil
  ) {
    self.sender = sender
    self.path = path
    self.pathNamespace = pathNamespace
    self.interface = interface
    self.member = member
    self.arg0 = arg0
  }

  /// The rule in the bus's notation (D-Bus specification, "Match Rules").
  package var text: String {
    var parts = ["type='signal'"]
    func add(_ key: String, _ value: String?) {
      guard let value else { return }
      // Within apostrophes no character is special except the apostrophe, which must be outside of them.
      let escaped = value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      parts.append("\(key)='\(escaped)'")
    }
    add("sender", sender?.text)
    add("path", path?.text)
    add("path_namespace", pathNamespace?.text)
    add("interface", interface?.text)
    add("member", member?.text)
    add("arg0", arg0)
    return parts.joined(separator: ",")
  }

  /// Whether a received signal matches all fields except the sender.
  func matchesApartFromSender(_ signal: Signal) -> Bool {
    if let path, signal.path != path { return false }
    if let pathNamespace, !signal.path.isAtOrBelow(pathNamespace) { return false }
    if let interface, signal.interface != interface { return false }
    if let member, signal.member != member { return false }
    if let arg0 {
      guard case .string(arg0)? = signal.body.first else { return false }
    }
    return true
  }
}
