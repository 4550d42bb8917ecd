public import Bluetooth

/// An adapter as people name it: `hci0`, which is what the host calls it now, or its own address, which stays.
public struct AdapterReference: Hashable, Sendable, ExpressibleByStringLiteral {
  /// As it was written.
  public let text: String

  /// The adapter that people call so.
  public init(_ text: String) {
    self.text = text
  }

  /// The adapter that people call so.
  public init(stringLiteral text: String) {
    self.init(text)
  }

  /// Whether this adapter is meant.
  public func names(_ adapter: Adapter) -> Bool {
    text == adapter.name || BluetoothAddress(text) == adapter.id.address
  }
}

/// What a manifest says of an adapter.
public struct AdapterDescription: Hashable, Sendable {
  /// Which adapter it is.
  public var reference: AdapterReference
  /// The name that the manifest gives it, by which rooms and options can refer to it.
  public var alias: String?
  /// How many links it can hold at once, 1…20.
  public var slots: Int?
  /// Where it is, for people.
  public var place: String?

  /// A description.
  public init(_ reference: AdapterReference, alias: String? = nil, slots: Int? = nil, place: String? = nil) {
    self.reference = reference
    self.alias = alias
    self.slots = slots
    self.place = place
  }
}

extension [AdapterReference] {
  /// Whether an adapter is among those to be used; all are when none is named.
  package func want(_ adapter: Adapter) -> Bool {
    isEmpty || contains { $0.names(adapter) }
  }
}
