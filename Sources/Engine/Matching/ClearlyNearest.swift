public import Bluetooth
import Model

/// The device that is clearly the nearest to an adapter: received strongly enough, clearly better than any other of these, and for
/// a while. Nil where that cannot be said.
public func clearlyNearest(
  of devices: [AirLedger.Sighting], to adapter: AdapterID, now: MonotonicInstant
) -> BluetoothAddress? {
  let nearness = Nearness(of: devices, at: [adapter], now: now)
  guard case .device(let address, _) = nearness.device(near: adapter, called: AdapterReference("\(adapter)"))
  else { return nil }
  return address
}
