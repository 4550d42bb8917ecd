import Glibc

/// An open file in a D-Bus message: a pipe's end, a socket, an inhibitor of logind. It is closed when this
/// object is deallocated.
///
/// It is a class because a descriptor has one owner that closes it once. Two are equal only if they are the
/// same object. A message contains a duplicate: the sender keeps its own descriptor, and each received
/// `DBusValue.descriptor` is a new descriptor of the same open file.
package final class DBusDescriptor: Sendable {
  /// The descriptor's number, for system calls. It is valid while this object is alive. Other code must not
  /// close it.
  package let number: Int32

  /// Takes ownership of an open descriptor.
  package init(owning number: Int32) {
    precondition(number >= 0, "\(number) is not a descriptor")
    self.number = number
  }

  deinit {
    close(number)
  }
}

extension DBusDescriptor: Hashable {
  package static func == (one: DBusDescriptor, other: DBusDescriptor) -> Bool { one === other }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
