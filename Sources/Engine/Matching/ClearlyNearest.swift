package import Bluetooth
import Model

/// The device that is clearly nearest to an adapter: received strongly enough, clearly stronger than any
/// other of these devices, and for long enough. Nil when no device is.
package func clearlyNearest(
  of devices: [AirLedger.Sighting], to adapter: AdapterID, now: MonotonicInstant
) -> BluetoothAddress? {
  let nearness = Nearness(of: devices, at: [adapter: adapter], now: now)
  guard case .device(let address, _) = nearness.device(near: adapter, called: AdapterReference("\(adapter)"))
  else { return nil }
  return address
}
