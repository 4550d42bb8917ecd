/// Everything that can go wrong with radio work, as one closed set of codes. The stack's own words
/// are kept beside the code for the log; nothing is decided by them above the `Central`.
public struct CentralError: Error, Hashable, Sendable {
  /// What went wrong.
  public var code: Code
  /// The stack's own name and text, for the log; of a very long one its beginning (`String.bounded`).
  public let stackText: String?

  /// An error with a code, and the stack's text where there is one.
  public init(_ code: Code, stackText: String? = nil) {
    self.code = code
    self.stackText = stackText?.bounded()
  }

  /// The closed set.
  public enum Code: Hashable, Sendable {
    /// The road to the stack is not there (no D-Bus), or was lost.
    case busUnavailable
    /// The stack is not running, or went away (no `org.bluez`).
    case stackUnavailable
    /// This user may not speak to the stack.
    case permissionDenied
    /// The adapter is absent, off or blocked.
    case adapterUnavailable(AdapterTrouble)
    /// The stack knows no such peripheral (any more): it must be heard again.
    case peripheralUnknown
    /// The connection attempt failed.
    case connectFailed
    /// The link was lost, or there was none.
    case disconnected
    /// The link stands, but the peripheral's services could not be resolved.
    case servicesUnresolved
    /// The peripheral does not have this service or characteristic.
    case attributeMissing(BluetoothUUID)
    /// The peripheral has this service or characteristic more than once: which one is meant is not known.
    case attributeAmbiguous(BluetoothUUID)
    /// The peripheral answered with this ATT error (Bluetooth Core, Vol 3 Part F 3.4.1.1).
    case att(UInt8)
    /// The attribute does not permit this operation.
    case notPermitted
    /// The same operation is under way already.
    case busy
    /// The adapter holds as many connections as it can.
    case outOfSlots
    /// The stack itself timed out.
    case timedOut
    /// The caller was cancelled.
    case cancelled
    /// None of the above; `stackText` says what.
    case other
  }

  /// Why an adapter cannot be used.
  public enum AdapterTrouble: String, Hashable, Sendable, Codable, CaseIterable {
    /// There is none (any more).
    case absent
    /// It is powered off.
    case poweredOff = "powered_off"
    /// It is blocked by rfkill.
    case blocked
  }
}
