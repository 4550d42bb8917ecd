/// A name of the D-Bus type system. The text is checked when the name is created, so it can be passed to
/// libdbus, which ends the process if a name is malformed.
///
/// The grammars are those of the D-Bus specification, "Valid Names" and "Valid Object Paths".
package protocol DBusName: Hashable, Sendable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral
{
  var text: String { get }

  /// Parses text from outside.
  /// - Returns: Nil if the text does not follow the grammar.
  init?(_ text: String)
}

extension DBusName {
  package var description: String { text }

  /// Orders names by Unicode scalars.
  package static func < (a: Self, b: Self) -> Bool { a.text < b.text }

  /// Creates a name from a literal. A malformed literal is a programming error and traps.
  package init(stringLiteral text: String) {
    guard let name = Self(text) else { preconditionFailure("not a valid \(Self.self): \(text)") }
    self = name
  }
}

/// The path of an object, such as `/org/bluez/hci0`.
package struct ObjectPath: DBusName {
  package let text: String

  /// Creates a path from text that is known to be valid: from a message that libdbus has checked, or a part
  /// of a path.
  init(unchecked text: String) { self.text = text }

  /// Parses `/`, or elements of `[A-Za-z0-9_]`, each with a slash before it and none at the end.
  package init?(_ text: String) {
    guard NameGrammar.isObjectPath(text) else { return nil }
    self.text = text
  }

  /// The path without its last element; nil for `/`.
  package var parent: ObjectPath? {
    guard text != "/", let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return ObjectPath(unchecked: slash == text.startIndex ? "/" : String(text[..<slash]))
  }

  /// Whether this path is `ancestor` or lies below it.
  package func isAtOrBelow(_ ancestor: ObjectPath) -> Bool {
    ancestor.text == "/" || text == ancestor.text || text.hasPrefix(ancestor.text + "/")
  }

  /// Returns the path with one more element.
  /// - Returns: Nil if `element` is empty or has other characters than `[A-Za-z0-9_]`.
  package func appending(_ element: String) -> ObjectPath? {
    guard !element.utf8.contains(UInt8(ascii: "/")) else { return nil }
    return ObjectPath(text == "/" ? "/" + element : text + "/" + element)
  }
}

/// The name of a connection on the bus: unique (`:1.42`) or well known (`org.bluez`).
package struct BusName: DBusName {
  package let text: String

  /// Creates a name from text that is known to be valid: from a message's header that libdbus has checked.
  init(unchecked text: String) { self.text = text }

  /// Parses a name of at most 255 bytes.
  package init?(_ text: String) {
    guard NameGrammar.isBusName(text) else { return nil }
    self.text = text
  }

  /// Whether it is a unique name, which the bus assigns to one connection and never reuses.
  package var isUnique: Bool { text.utf8.first == UInt8(ascii: ":") }
}

/// The name of an interface, such as `org.bluez.Adapter1`. Error names follow the same grammar.
package struct InterfaceName: DBusName {
  package let text: String

  /// Creates a name from text that is known to be valid: from a message's header that libdbus has checked.
  init(unchecked text: String) { self.text = text }

  /// Parses a name of at most 255 bytes: two or more elements separated by dots.
  package init?(_ text: String) {
    guard NameGrammar.isInterface(text) else { return nil }
    self.text = text
  }
}

/// The name of a method or a signal.
package struct MemberName: DBusName {
  package let text: String

  /// Creates a name from text that is known to be valid: from a message's header that libdbus has checked.
  init(unchecked text: String) { self.text = text }

  /// Parses a name of at most 255 bytes: `[A-Za-z0-9_]`, not beginning with a digit.
  package init?(_ text: String) {
    guard NameGrammar.isMember(text) else { return nil }
    self.text = text
  }
}
