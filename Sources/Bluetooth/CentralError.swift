/// A failure of radio work: one of a closed set of codes. The stack's own text is kept for the log; no
/// decision above the `Central` depends on it.
package struct CentralError: Error, Hashable, Sendable {
  package var code: Code
  /// The stack's own error name and text, for the log, shortened by `String.bounded`.
  package let stackText: String?
  /// The host that failed; nil for this computer, and where the adapter says it.
  package var host: HostName?

  package init(_ code: Code, stackText: String? = nil, on host: HostName? = nil) {
    self.code = code
    self.stackText = stackText?.bounded()
    self.host = host
  }

  package enum Code: Hashable, Sendable {
    /// The bus to the stack is not reachable, or the connection to it was lost (no D-Bus).
    case busUnavailable
    /// The stack is not running or has terminated (no `org.bluez`).
    case stackUnavailable
    /// This user may not use the stack.
    case permissionDenied
    /// The adapter is absent, off or blocked.
    case adapterUnavailable(AdapterProblem)
    /// The stack does not know the peripheral (any more). It must be received again first.
    case peripheralUnknown
    case connectFailed
    /// The link was lost or did not exist.
    case disconnected
    /// The link is up, but the stack could not resolve the peripheral's services.
    case servicesUnresolved
    /// The peripheral does not have this service or characteristic.
    case attributeMissing(BluetoothUUID)
    /// The peripheral has this service or characteristic more than once, so it is unknown which one is meant.
    case attributeAmbiguous(BluetoothUUID)
    /// The peripheral returned this ATT error code (Bluetooth Core, Vol 3 Part F 3.4.1.1).
    case att(UInt8)
    /// The attribute does not permit this operation.
    case notPermitted
    /// The attribute demands an encrypted or authenticated link, which takes pairing.
    case pairingRequired
    /// The link is up or was, and pairing did not succeed.
    case pairing(PairingProblem)
    /// The same operation is already in progress.
    case busy
    /// The adapter has reached its maximum number of connections.
    case outOfSlots
    /// The stack itself timed out.
    case timedOut
    case cancelled
    /// None of the above; see `stackText`.
    case other
  }

  /// Why an adapter cannot be used.
  package enum AdapterProblem: String, Hashable, Sendable, Codable, CaseIterable {
    /// The adapter does not exist (any more).
    case absent
    case poweredOff = "powered_off"
    case blocked
  }

  /// Why pairing did not succeed. Most stacks report the refusals of a peripheral alike.
  package enum PairingProblem: String, Hashable, Sendable, Codable, CaseIterable {
    /// The peripheral does not pair, not now, not with this host, or not in this way.
    case refused
    /// The same, after the peripheral had asked for the passkey: it is probably another one.
    case passkeyRefused = "passkey_refused"
    /// It succeeded without the passkey, or may have: the stack has a bond of unknown origin. So nothing shows that it is the
    /// peripheral with the label.
    case passkeyUnused = "passkey_unused"
    /// The peripheral demands what the method does not give, such as a comparison of numbers.
    case unsuitable
    /// The link was lost meanwhile, which a peripheral may do to refuse, or the peripheral did not answer. With a bond: the
    /// connection failed, perhaps because the peripheral has lost its key.
    case lost
    /// Another program has paired with the peripheral meanwhile; the bond is that program's.
    case bondExists = "bond_exists"
  }
}
