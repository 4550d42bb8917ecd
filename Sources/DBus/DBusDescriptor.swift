import Glibc

/// An open file that a message brought or will take along: a pipe's end, a socket, logind's inhibitor. It is closed
/// when nobody refers to it any more.
///
/// A class, because a descriptor is a thing with one owner that closes it once; two of them are equal only when
/// they are the same. What a message holds is a duplicate: whoever sends one keeps one's own, and each
/// `DBusValue.descriptor` that came in is another descriptor of the same open file.
public final class DBusDescriptor: Sendable {
  /// The descriptor's number, for calls of the system. It is good as long as this object is referred to, and must
  /// not be closed by others.
  public let number: Int32

  /// Takes over an open descriptor, which nobody else may close from now on.
  public init(owning number: Int32) {
    precondition(number >= 0, "\(number) is no descriptor")
    self.number = number
  }

  deinit {
    close(number)
  }
}

extension DBusDescriptor: Hashable {
  /// Whether both are the same object.
  public static func == (one: DBusDescriptor, other: DBusDescriptor) -> Bool { one === other }

  /// By its identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
