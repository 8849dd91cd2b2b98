mod damage;
mod divergence;
mod faults;
mod matrices;
mod memory;
mod order;
mod printing;
mod waiting;
