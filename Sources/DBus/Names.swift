/// A name of the D-Bus type system: text that was checked against its grammar once, when it was made,
/// and so can be handed to libdbus, which ends the process over a malformed one.
///
/// The grammars are those of the D-Bus specification, "Valid Names" and "Valid Object Paths".
public protocol DBusName: Hashable, Sendable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral
{
  /// The name as text.
  var text: String { get }

  /// Takes a text from outside.
  /// - Returns: nil when the text does not follow the grammar.
  init?(_ text: String)
}

extension DBusName {
  /// The name as text.
  public var description: String { text }

  /// Ordered by Unicode scalars, the same on every machine.
  public static func < (a: Self, b: Self) -> Bool { a.text < b.text }

  /// Takes a name that is written in the source. A malformed one is a bug, and traps.
  public init(stringLiteral text: String) {
    guard let name = Self(text) else { preconditionFailure("not a valid \(Self.self): \(text)") }
    self = name
  }
}

/// The path of an object, such as `/org/bluez/hci0`.
public struct ObjectPath: DBusName {
  /// The path as text.
  public let text: String

  /// Takes a text that is known to be a path: out of a message, which libdbus has checked, or a part of one.
  init(unchecked text: String) { self.text = text }

  /// Takes a text: `/`, or elements of `[A-Za-z0-9_]`, each with a slash before it and none at the end.
  public init?(_ text: String) {
    guard NameGrammar.isObjectPath(text) else { return nil }
    self.text = text
  }

  /// The path one element shorter; nil for `/`.
  public var parent: ObjectPath? {
    guard text != "/", let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return ObjectPath(unchecked: slash == text.startIndex ? "/" : String(text[..<slash]))
  }

  /// Whether this path is `ancestor` or lies below it.
  public func isAtOrBelow(_ ancestor: ObjectPath) -> Bool {
    ancestor.text == "/" || text == ancestor.text || text.hasPrefix(ancestor.text + "/")
  }

  /// The path one element longer.
  /// - Returns: nil when `element` is empty or has other characters than `[A-Za-z0-9_]`.
  public func appending(_ element: String) -> ObjectPath? {
    guard !element.utf8.contains(UInt8(ascii: "/")) else { return nil }
    return ObjectPath(text == "/" ? "/" + element : text + "/" + element)
  }
}

/// The name of a connection on the bus: unique (`:1.42`) or well known (`org.bluez`).
public struct BusName: DBusName {
  /// The name as text.
  public let text: String

  /// Takes a text that is known to be a name: out of a message's header, which libdbus has checked.
  init(unchecked text: String) { self.text = text }

  /// Takes a text of at most 255 bytes.
  public init?(_ text: String) {
    guard NameGrammar.isBusName(text) else { return nil }
    self.text = text
  }

  /// Whether the bus itself gave this name out to one connection; such a name is never given out again.
  public var isUnique: Bool { text.utf8.first == UInt8(ascii: ":") }
}

/// The name of an interface, such as `org.bluez.Adapter1`. Names of errors follow the same grammar.
public struct InterfaceName: DBusName {
  /// The name as text.
  public let text: String

  /// Takes a text that is known to be a name: out of a message's header, which libdbus has checked.
  init(unchecked text: String) { self.text = text }

  /// Takes a text of at most 255 bytes: two or more elements with dots between them.
  public init?(_ text: String) {
    guard NameGrammar.isInterface(text) else { return nil }
    self.text = text
  }
}

/// The name of a method or a signal.
public struct MemberName: DBusName {
  /// The name as text.
  public let text: String

  /// Takes a text that is known to be a name: out of a message's header, which libdbus has checked.
  init(unchecked text: String) { self.text = text }

  /// Takes a text of at most 255 bytes: `[A-Za-z0-9_]`, no digit first.
  public init?(_ text: String) {
    guard NameGrammar.isMember(text) else { return nil }
    self.text = text
  }
}
