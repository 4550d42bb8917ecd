/// The seam: all radio work goes through here, in the field's own words.
///
/// Three implementations keep one contract and pass one conformance suite: BlueZ on the real stack,
/// BlueZ on the virtual `org.bluez`, and the virtual radio in-process.
public protocol Central: Sendable {
  /// The stack's name and version for reports (`BlueZ 5.66`), or nil when it does not say.
  func stackVersion() async -> String?

  /// The adapters as they are now, ordered by identity.
  /// - Throws: `busUnavailable`, `stackUnavailable`, `permissionDenied`.
  func adapters() async throws(CentralError) -> [Adapter]

  /// The adapters, at once and after each change: the newest list wins, none is queued behind it.
  /// When the stack goes away the list is empty; when it is back, so are its adapters. Ends with
  /// the bus.
  func adapterChanges() async -> AsyncStream<[Adapter]>

  /// Discovers on an adapter for exactly as long as `body` runs, unfiltered by service, and hands it what is
  /// heard. When this returns, discovery of ours has stopped.
  ///
  /// News only: what the stack remembers from before is not reported. The stream fails with
  /// `adapterUnavailable`, `stackUnavailable` or `busUnavailable` when listening ends by itself, and is
  /// bounded: under a flood the newest news of each peripheral is kept.
  /// - Throws: why discovery could not be started; what `body` threw.
  func listen<Result: Sendable>(
    on adapter: AdapterID,
    _ body: @Sendable (AdvertisementStream) async throws(CentralError) -> Result
  ) async throws(CentralError) -> Result

  /// Connects. There is no timeout here, nor in most stacks: a dead peripheral may never answer. Cancelling
  /// the task ends the attempt at the stack as well, and then throws `cancelled`; nothing stays connected.
  ///
  /// Returns as soon as the link is up; services come with `Peripheral.discover`.
  func connect(
    to address: BluetoothAddress, on adapter: AdapterID
  ) async throws(CentralError) -> any Peripheral

  /// The peripherals that an adapter holds a link to, whoever made it, ordered by address: also those that a
  /// program left behind which is no more.
  /// - Throws: `adapterUnavailable`, and the stack's own unavailability.
  func connectedPeripherals(on adapter: AdapterID) async throws(CentralError) -> [ConnectedPeripheral]

  /// Makes the stack forget everything about a peripheral: cached attributes, name, bonds of ours. Ends a
  /// connection to it. Forgetting one that is not known succeeds.
  func forget(_ address: BluetoothAddress, on adapter: AdapterID) async throws(CentralError)

  /// Switches an adapter off and on again, and returns when it can be used. This is for an adapter that discovers and
  /// hears nothing (docs/bluez.md, trap 59).
  ///
  /// Discovery of ours on it ends with `adapterUnavailable`. A cancelled task does not leave the adapter off; a process
  /// that is killed in this moment does.
  /// - Throws: `permissionDenied` when this user may not do that; `busy` when the adapter holds a link, is connecting,
  ///   or another client scans with it: nothing has been switched then; `adapterUnavailable` when it was not on before,
  ///   or is not on again; `timedOut`, and the stack's own unavailability.
  func powerCycle(_ adapter: AdapterID) async throws(CentralError)

  /// The programs that may be scanning with an adapter besides this one, for people: `bluetoothctl (pid 812)`. Each of
  /// several may be the one. Empty when nobody may know, or nobody else uses the stack.
  func scanningClients(on adapter: AdapterID) async -> [String]
}

/// A peripheral that an adapter holds a link to.
public struct ConnectedPeripheral: Hashable, Sendable {
  /// Who.
  public var address: BluetoothAddress
  /// The services that the stack knows of it; none when they were not resolved yet.
  public var serviceUUIDs: [BluetoothUUID]

  /// A connected peripheral.
  public init(address: BluetoothAddress, serviceUUIDs: [BluetoothUUID]) {
    self.address = address
    self.serviceUUIDs = serviceUUIDs
  }
}

/// One link to one peripheral. Every operation ends with `disconnected` once the link is gone, and with
/// `cancelled` when its task is cancelled.
public protocol Peripheral: Sendable {
  /// Whom this link leads to.
  var address: BluetoothAddress { get }
  /// The adapter that holds it.
  var adapter: AdapterID { get }

  /// Waits until the service and all of `required` can be used. Unbounded: the caller has the timeout.
  /// - Throws: `attributeAmbiguous` when it has the service, or one of the required, more than once; `attributeMissing` once the stack has resolved everything and, a grace period for late
  ///   characteristics over, one is still not there; `servicesUnresolved`.
  func discover(
    _ service: BluetoothUUID, requiring required: [BluetoothUUID]
  ) async throws(CentralError) -> RemoteService

  /// Waits until the stack has resolved everything, and for late characteristics as `discover` does, and returns all services in
  /// the order in which the stack lists them; without those that it keeps for itself. Unbounded: the caller has the timeout.
  func allServices() async throws(CentralError) -> [RemoteService]

  /// Reads a value.
  func read(_ characteristic: RemoteCharacteristic) async throws(CentralError) -> [UInt8]

  /// Writes a value; with response, returns when the peripheral has confirmed it.
  func write(
    _ value: [UInt8], to characteristic: RemoteCharacteristic, _ kind: WriteKind
  ) async throws(CentralError)

  /// Subscribes to a characteristic and returns its values from now on; ends with the link. Bounded, newest
  /// win. A stack may also report here what a `read` of ours fetched.
  func notifications(
    of characteristic: RemoteCharacteristic
  ) async throws(CentralError) -> AsyncStream<CharacteristicNotification>

  /// Returns when the link has ended, at once if it has already; nil when the waiting task is cancelled first.
  func disconnection() async -> Disconnection?

  /// Ends the link; returns when the stack says it is down (on BlueZ about 2 s later). Does its work even in
  /// a cancelled task, and never throws: there is nothing a caller could do.
  func disconnect() async
}

/// How a value is written.
public enum WriteKind: String, Sendable, Hashable, Codable {
  /// The peripheral confirms.
  case withResponse = "with_response"
  /// Nobody confirms.
  case withoutResponse = "without_response"
}
