/// Which signals one wants. What is nil does not restrict.
public struct MatchRule: Hashable, Sendable {
  /// Who sends them. For a well-known name, whoever owns it at the time.
  public var sender: BusName?
  /// The object they are about.
  public var path: ObjectPath?
  /// The object they are about, or one above it in the tree.
  public var pathNamespace: ObjectPath?
  /// Their interface.
  public var interface: InterfaceName?
  /// Their name.
  public var member: MemberName?
  /// Their first argument, a string.
  public var arg0: String?

  /// A rule. Give at most one of `path` and `pathNamespace`; the bus refuses both.
  public init(
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
  public var text: String {
    var parts = ["type='signal'"]
    func add(_ key: String, _ value: String?) {
      guard let value else { return }
      // Within apostrophes nothing is special but the apostrophe, which has to leave them.
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

  /// Whether a signal that came in is wanted, apart from who sent it.
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
